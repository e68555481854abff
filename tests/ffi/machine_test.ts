import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { NativeBlock } from "../../ffi/block.ts";
import { inFrame } from "../../ffi/arena.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { bindByAddress } from "../../ffi/stubs.ts";
import * as machine from "../../ffi/machine.ts";
import { NameBlob } from "../../ffi/cstring.ts";
import { fixture, NEEDS_FIXTURE } from "./fixture.ts";

Deno.test("peek and poke read and write each width and nothing beside it", () => {
  using block = new NativeBlock(16);
  const { address, view } = block;
  machine.poke64(address, 0x8877_6655_4433_2211n);
  assertEquals(machine.peek64(address), 0x8877_6655_4433_2211n);
  assertEquals(machine.peek32(address + 4n), 0x8877_6655);
  assertEquals(machine.peek16(address + 6n), 0x8877);
  assertEquals(machine.peek8(address + 7n), 0x88);
  machine.poke32(address, -1);
  machine.poke16(address + 4n, 0x1_fffe);
  machine.poke8(address + 6n, 0x1fd);
  assertEquals(view.getBigUint64(0, true), 0x88fd_fffe_ffff_ffffn);
  machine.publish64(address + 8n, 5n);
  assertEquals(view.getBigUint64(8, true), 5n);
  assertEquals([machine.exchange64(address + 8n, 6n), machine.acquire64(address + 8n)], [5n, 6n]);
});

Deno.test("peek64() keeps addresses with a tag in the top byte", () => {
  using block = new NativeBlock(8);
  machine.poke64(block.address, 0xb400_0000_0000_0001n);
  assertEquals(machine.peek64(block.address), 0xb400_0000_0000_0001n);
});

Deno.test("copyMemory() and its arena forms move bytes", () => {
  using block = new NativeBlock(4096);
  block.bytes.fill(7, 0, 1000);
  machine.copyMemory(block.address + 2000n, block.address, 1000);
  assertEquals(block.bytes.subarray(1999, 3001), new Uint8Array([0, ...new Uint8Array(1000).fill(7), 0]));
  inFrame((memory) => {
    const offset = memory.copyIn(block.address + 1990n, 20);
    assertEquals([...memory.bytes.subarray(offset, offset + 12)], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7]);
    machine.copyFromArena(block.address, offset, 11);
    assertEquals([...block.bytes.subarray(0, 12)], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7]);
  });
});

Deno.test("threadId() is the same for a thread and not 0", () => {
  assertEquals(machine.threadId(), machine.threadId());
  assertNotEquals(machine.threadId(), 0n);
});

/** A block's words. A block may lie in a larger mapping. */
function words({ bytes: { buffer, byteOffset, length } }: NativeBlock): BigUint64Array {
  return new BigUint64Array(buffer, byteOffset, length / 8);
}

Deno.test("fillTable() asks for every name in order", NEEDS_FIXTURE, () => {
  const hash = (name: string) =>
    [...name].reduce((sum, letter) => BigInt.asUintN(64, sum * 31n + BigInt(letter.charCodeAt(0))), 12345n);
  const list = ["vkCreateBuffer", "x", "", "vkCmdFillBuffer", "vkA"];
  for (const given of [list, list.join(" "), [], "", "one"]) {
    const expected = (typeof given === "string" ? given.split(" ").filter(Boolean) : given).map(hash);
    using names = new NameBlob(given);
    using table = new NativeBlock(64);
    assertEquals(names.count, expected.length);
    machine.fillTable({ getProcAddr: fixture("name_hash"), handle: 12345n, names, table: table.address });
    const entries = [...words(table)];
    assertEquals(entries, [...expected, ...Array(8 - expected.length).fill(0n)]);
  }
});

Deno.test("fillTable() without a handle gives the name alone, and leaves alone what is known", () => {
  using names = new NameBlob(["abc", "de"]);
  using table = new NativeBlock(32);
  const entries = words(table);
  machine.fillTable({ getProcAddr: libcAddress("strlen"), names, table: table.address });
  assertEquals([...entries], [3n, 2n, 0n, 0n]);
  entries[0] = 77n;
  entries[1] = 0n;
  machine.fillTable({ getProcAddr: libcAddress("strlen"), names, table: table.address });
  assertEquals([...entries], [77n, 2n, 0n, 0n]);
});

Deno.test("call sites stay on the fast path: a stub costs about as much as a dlopened symbol", NEEDS_FIXTURE, () => {
  // One generic caller for all would itself be polymorphic, hence two texts.
  const library = Deno.dlopen("libc.so.6", { direct: { name: "abs", parameters: ["i32"], result: "i32" } });
  try {
    const { direct } = library.symbols;
    const stub = machineStub();
    const target = libcAbs();
    const runDirect = (times: number) => {
      for (let index = 0; index < times; index++) direct(index);
    };
    const runStub = (times: number) => {
      for (let index = 0; index < times; index++) stub(index, target);
    };
    let best = Infinity;
    for (let round = 0; round < 20 && best > 2; round++) {
      best = Math.min(best, time(runStub) / time(runDirect));
    }
    // Off the fast path it would be thirty times as much.
    assert(best < 4, `a stub costs ${best.toFixed(1)} times a dlopened symbol`);
  } finally {
    library.close();
  }
});

function machineStub(): (value: number, target: bigint) => number {
  return bindByAddress("s:s");
}

function libcAbs(): bigint {
  return libcAddress("abs");
}

function time(run: (times: number) => void): number {
  const start = performance.now();
  run(200_000);
  return performance.now() - start;
}
