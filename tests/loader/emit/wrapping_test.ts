import { assertEquals, assertNotEquals } from "@std/assert";
import { NativeBlock } from "../../../ffi/block.ts";
import { invokeAddress, peek64, poke64 } from "../../../ffi/machine.ts";
import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import { type Wrapping, WrappingCode } from "../../../loader/emit/wrapping.ts";
import { lasting } from "../../ffi/fixture.ts";

/** Slots of a small instance level, and of the two commands that are never met by name. */
const LIST = 0, GROUPS = 1, PLAIN = 2, KNOWN = 3, UNKNOWN = 2;
/** Byte offsets in the tables of the test. */
const IN_TABLE = { instance: 8, device: 16 }, HIDDEN = 24;
/** Where, in the block of a test, things lie. */
const AT = { instance: 0, table: 64, device: 128, count: 192, out: 256, info: 1024 };
/** VkPhysicalDeviceGroupProperties. */
const GROUP = { size: 288, count: 16, handles: 24 };
const NOT_READABLE = 24n, OTHER = 32n;

const code = WrappingCode.make({
  count: KNOWN + UNKNOWN,
  unknown: UNKNOWN,
  inTable: IN_TABLE,
  devices: { name: "list", slot: LIST },
  groups: [{ name: "groups", slot: GROUPS }],
  naming: [{ name: "named", size: 40, hiddenOffset: HIDDEN }],
})!;

/** The level below: the commands, and the answers of the lookups. */
interface Below {
  list?(count: bigint, out: bigint): number;
  groups?(count: bigint, out: bigint): number;
  plain?(gpu: bigint, value: bigint): number;
  lookup?(name: bigint): bigint;
  named?(info: bigint): number;
}

/** Runs with an instance and a device whose commands are those. */
function withInstance(below: Below, run: (at: (name: keyof typeof AT) => bigint, wrapping: Wrapping) => void): void {
  const thunks: Thunk[] = [];
  const thunk = (signature: string, call: (...args: bigint[]) => number | bigint) => {
    thunks.push(createThunk(signature, call as (...args: unknown[]) => unknown));
    return thunks.at(-1)!.address;
  };
  using block = new NativeBlock(4096);
  const at = (name: keyof typeof AT) => block.address + BigInt(AT[name]);
  const functions = new BigUint64Array(KNOWN);
  functions[LIST] = thunk("s:qqq", (_, count, out) => below.list!(count, out));
  functions[GROUPS] = thunk("s:qqq", (_, count, out) => below.groups!(count, out));
  functions[PLAIN] = thunk("s:qq", (gpu, value) => below.plain!(gpu, value));
  using wrapping = code.open({
    key: at("table"),
    functions: new Uint8Array(functions.buffer),
    lookup: below.lookup ? thunk("q:qq", (_, name) => below.lookup!(name)) : 0n,
    getInstanceProcAddr: thunk("q:qq", (_, name) => name + 1n),
  });
  poke64(at("instance"), at("table"));
  poke64(at("device"), at("table"));
  for (const offset of Object.values(IN_TABLE)) poke64(at("table") + BigInt(offset), wrapping.address);
  poke64(at("table") + BigInt(HIDDEN), thunk("s:qq", (_, info) => below.named!(info)));
  run(at, wrapping);
  for (const each of thunks) each.free();
}

Deno.test("a list of devices is one of wrappers, the same for the same device, by which its commands are called", () => {
  const devices = [NOT_READABLE, 0n, OTHER], plain: unknown[] = [];
  const below: Below = {
    list(count, out) {
      poke64(count, 7n); // more than there is room for
      devices.forEach((device, index) => poke64(out + BigInt(8 * index), device));
      return 5;
    },
    plain: (...args) => plain.push(...args),
  };
  withInstance(below, (at, wrapping) => {
    const list = (room: bigint) => {
      poke64(at("count"), room);
      assertEquals(invokeAddress(code.command("list"), "s:qqq", [at("instance"), at("count"), at("out")]), 5);
      return devices.map((_, index) => peek64(at("out") + BigInt(8 * index)));
    };
    const [first, none, third] = list(3n);
    assertEquals([none, wrapping.find(first), wrapping.find(third), wrapping.find(5n)], [0n, NOT_READABLE, OTHER, 5n]);
    assertEquals([peek64(first), peek64(third)], [at("table"), at("table")]);
    devices.reverse();
    assertEquals(list(3n), [third, 0n, first]);
    assertEquals(list(1n), [third, 0n, NOT_READABLE], "what there is no room for is left alone");
    assertEquals(invokeAddress(code.at(PLAIN), "s:qq", [first, 6n]), 2);
    assertEquals(plain, [NOT_READABLE, 6n]);
    assertEquals(invokeAddress(code.command("list"), "s:qqq", [at("instance"), 0n, at("out")]), -3);
  });
});

Deno.test("a count alone, and an error, are passed on", () => {
  withInstance({ list: (_, out) => out === 0n ? 0 : -1, groups: () => -4 }, (at) => {
    poke64(at("count"), 1n);
    poke64(at("out"), NOT_READABLE);
    const call = (name: string, out: bigint) =>
      invokeAddress(code.command(name), "s:qqq", [at("instance"), at("count"), out]);
    assertEquals([call("list", 0n), call("list", at("out")), call("groups", at("out"))], [0, -1, -4]);
    assertEquals(peek64(at("out")), NOT_READABLE);
  });
});

Deno.test("groups hold the same wrappers as the list", () => {
  const below: Below = {
    list: (_, out) => {
      poke64(out, OTHER);
      return 0;
    },
    groups(_, out) {
      poke64(out + BigInt(GROUP.count), 2n);
      poke64(out + BigInt(GROUP.handles), NOT_READABLE);
      poke64(out + BigInt(GROUP.handles + 8), OTHER);
      const second = out + BigInt(GROUP.size);
      poke64(second + BigInt(GROUP.count), 77n); // more than a group holds
      for (let index = 0; index < 33; index++) poke64(second + BigInt(GROUP.handles + 8 * index), OTHER);
      return 0;
    },
  };
  withInstance(below, (at) => {
    poke64(at("count"), 1n);
    invokeAddress(code.command("list"), "s:qqq", [at("instance"), at("count"), at("out")]);
    const wrapper = peek64(at("out"));
    poke64(at("count"), 2n);
    assertEquals(invokeAddress(code.command("groups"), "s:qqq", [at("instance"), at("count"), at("out")]), 0);
    const handle = (group: number, index: number) =>
      peek64(at("out") + BigInt(group * GROUP.size + GROUP.handles + 8 * index));
    assertEquals([handle(0, 1), handle(1, 0), handle(1, 31), handle(1, 32)], [wrapper, wrapper, wrapper, OTHER]);
    assertNotEquals(handle(0, 0), NOT_READABLE);
  });
});

Deno.test("commands that nobody knows are found, those on devices through wrappers, as many as there is room for", () => {
  const [first, second, third] = ["first", "second", "third"].map(lasting), seen: bigint[] = [];
  using own = createThunk("s:q", (gpu) => seen.push(gpu as bigint));
  const addresses = new Map([[first, own.address], [second, 5n], [third, 6n]]);
  const below: Below = {
    lookup: (name) => addresses.get(name) ?? 0n,
    list(_, out) {
      poke64(out, NOT_READABLE);
      return 0;
    },
  };
  withInstance(below, (at) => {
    const find = (name: bigint) => invokeAddress(code.findUnknown, "q:qq", [at("instance"), name]);
    assertEquals([first, second, first, second].map(find), [3, 4, 3, 4].map((slot) => code.at(slot)));
    assertEquals([find(third), find(40n)], [0n, 41n]);
    poke64(at("count"), 1n);
    invokeAddress(code.command("list"), "s:qqq", [at("instance"), at("count"), at("out")]);
    invokeAddress(find(first) as bigint, "s:q", [peek64(at("out"))]);
    assertEquals(seen, [NOT_READABLE]);
  });
  withInstance({}, (at) => assertEquals(invokeAddress(code.findUnknown, "q:qq", [at("instance"), first]), first + 1n));
});

Deno.test("a struct that names a wrapper names what this stands for; all others are passed on", () => {
  const seen: bigint[][] = [];
  const below: Below = {
    list(_, out) {
      poke64(out, NOT_READABLE);
      return 0;
    },
    named: (info) => seen.push([0n, 8n, 16n, 24n, 32n].map((offset) => peek64(info + offset))),
  };
  withInstance(below, (at) => {
    poke64(at("count"), 1n);
    invokeAddress(code.command("list"), "s:qqq", [at("instance"), at("count"), at("out")]);
    const wrapper = peek64(at("out"));
    const name = (type: bigint, handle: bigint) => {
      [1n, 2n, type, handle, 4n].forEach((value, index) => poke64(at("info") + BigInt(8 * index), value));
      return invokeAddress(code.command("named"), "s:qq", [at("device"), at("info")]);
    };
    assertEquals([name(2n, wrapper), name(2n, 9n), name(3n, wrapper)], [1, 2, 3]);
    assertEquals(peek64(at("info") + 24n), wrapper, "the application's own struct is not touched");
    assertEquals(seen, [[1n, 2n, 2n, NOT_READABLE, 4n], [1n, 2n, 2n, 9n, 4n], [1n, 2n, 3n, wrapper, 4n]]);
  });
});
