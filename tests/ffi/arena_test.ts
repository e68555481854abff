import { assertEquals, assertThrows } from "@std/assert";
import { arena, hexOf, inFrame, joinBytes } from "../../ffi/arena.ts";
import { openBlocks } from "../../ffi/block.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";

Deno.test("arena() is one per isolate and lies within 4 GiB", () => {
  const memory = arena();
  assertEquals(arena() === memory, true);
  assertEquals((memory.base + BigInt(memory.size) - 1n) >> 32n, memory.base >> 32n);
  assertEquals((BigInt(memory.high) << 32n) + BigInt(memory.low), memory.base);
});

Deno.test("Arena.alloc() gives aligned offsets that never are NULL, and release() takes them back", () => {
  const memory = arena(), mark = memory.mark();
  const first = memory.alloc(1), second = memory.alloc(17), third = memory.alloc(0);
  assertEquals([first > 0, first % 16, second - first, third - second], [true, 0, 16, 32]);
  memory.release(mark);
  assertEquals(memory.alloc(1), first);
  memory.release(mark);
});

Deno.test("Arena.view is what native code sees", () => {
  inFrame((memory) => {
    const offset = memory.alloc(8);
    memory.view.setUint32(offset, 0xdeadbeef, true);
    assertEquals(peek32(memory.address(offset)), 0xdeadbeef);
    assertEquals(memory.address(0), 0n);
  });
});

Deno.test("Arena.alloc() throws when the arena is full", () => {
  const memory = arena(), mark = memory.mark();
  assertThrows(() => memory.alloc(memory.size), RangeError, "Arena is full");
  assertThrows(() => memory.alloc(-1), RangeError);
  assertEquals(memory.mark(), mark);
});

Deno.test("Arena.alloc() refuses every size that is none or too large, before any arithmetic of 32 bits", () => {
  const memory = arena(), mark = memory.mark();
  for (const size of [2 ** 31, 2 ** 31 - 8, 2 ** 32, 2 ** 32 + 16, 2 ** 53, Infinity, NaN, -1, -(2 ** 32)]) {
    assertThrows(() => memory.alloc(size), RangeError, "Arena is full", `${size}`);
    assertThrows(() => memory.copyIn(memory.base, size), RangeError, "Arena is full", `${size}`);
  }
  assertEquals(memory.mark(), mark);
});

Deno.test("Arena.place() copies bytes, too large ones to a mapping of their own", () => {
  const memory = arena(), mark = memory.mark(), blocks = openBlocks();
  const small = memory.place(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]));
  assertEquals(peek64(small), 0x0807_0605_0403_0201n);
  const size = memory.size / 8 + 8, large = memory.place(new Uint8Array(size).fill(9));
  assertEquals(peek64(large + BigInt(size) - 8n), 0x0909_0909_0909_0909n);
  assertEquals([large < memory.base || large >= memory.base + BigInt(memory.size), openBlocks()], [true, blocks + 1]);
  memory.release(mark);
  assertEquals(openBlocks(), blocks);
});

Deno.test("what an outer frame has placed survives the frames within it, whatever its size", () => {
  const memory = arena();
  inFrame(() => memory.alloc(40 << 20)); // what gives memory back has a block of its own
  const blocks = openBlocks();
  for (const size of [8, 4 << 20, 40 << 20, memory.size / 8 + 8]) {
    inFrame(() => {
      const outer = memory.place(new Uint8Array(size).fill(7));
      inFrame(() => memory.place(new Uint8Array(size).fill(1)));
      const empty = memory.mark();
      memory.release(empty);
      assertEquals([peek64(outer), peek64(outer + BigInt(size) - 8n)], [
        0x0707_0707_0707_0707n,
        0x0707_0707_0707_0707n,
      ]);
    });
    assertEquals(openBlocks(), blocks, `${size}`);
  }
});

/** An emulator keeps for itself what is given back. */
const NATIVE = { ignore: Deno.build.arch !== "x86_64" };

Deno.test("the system gets back what a frame has used beyond what is kept", NATIVE, () => {
  const memory = arena();
  const high = inFrame(() => {
    const at = memory.alloc(200 << 20);
    memory.bytes.fill(1, at, at + (200 << 20));
    return at + (100 << 20);
  });
  assertEquals([memory.bytes[high], memory.bytes[high + (50 << 20)]], [0, 0]); // pages that were never touched
});

Deno.test(
  "memory that large frames use again and again is not new each time, and goes back after many small ones",
  NATIVE,
  () => {
    const memory = arena();
    const useMuch = (byte?: number) =>
      inFrame(() => {
        const at = memory.alloc(40 << 20);
        if (byte !== undefined) memory.bytes.fill(byte, at, at + (40 << 20));
        return memory.bytes[at + (39 << 20)];
      });
    useMuch(1);
    for (let frame = 0; frame < 1000; frame++) inFrame(() => memory.alloc(100));
    assertEquals(useMuch(), 1);
    for (let frame = 0; frame < 4000; frame++) inFrame(() => memory.alloc(100));
    assertEquals(useMuch(), 1); // the use before began the count again
    for (let frame = 0; frame < 5000; frame++) inFrame(() => memory.alloc(100));
    assertEquals(useMuch(), 0);
  },
);

Deno.test("inFrame() frees what was allocated and returns, or throws, what its function does", () => {
  const memory = arena(), mark = memory.mark();
  assertEquals(inFrame((same) => [same === memory, same.alloc(100) === mark]), [true, true]);
  assertThrows(
    () =>
      inFrame(() => {
        memory.alloc(100);
        throw new TypeError("within");
      }),
    TypeError,
    "within",
  );
  assertEquals(memory.mark(), mark);
});

Deno.test("zero() fills what was allocated, and nothing behind its last word", () => {
  inFrame((memory) => {
    for (const size of [0, 1, 8, 9, 24, 64, 65, 100, 4096]) {
      const at = memory.alloc(size + 64), behind = at + Math.ceil(size / 8) * 8;
      memory.bytes.fill(0xff, at, at + size + 64);
      memory.zero(at, size);
      assertEquals([...memory.bytes.subarray(at, at + size)], Array(size).fill(0), `${size} bytes`);
      assertEquals([...memory.bytes.subarray(behind, behind + 8)], Array(8).fill(0xff), `behind ${size} bytes`);
    }
  });
});

Deno.test("hexOf() gives two digits a byte", () => {
  assertEquals(hexOf(new Uint8Array([0, 15, 255])), "000fff");
});

Deno.test("joinBytes() keeps the order, and takes empty parts and none", () => {
  assertEquals(joinBytes([new Uint8Array([1, 2]), new Uint8Array(), new Uint8Array([3])]), new Uint8Array([1, 2, 3]));
  assertEquals(joinBytes([]), new Uint8Array());
});
