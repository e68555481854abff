import { assertEquals } from "@std/assert";
import { NativeBlock } from "../../../ffi/block.ts";
import { createByName } from "../../../loader/emit/by_name.ts";
import { invokeAddress, peek32, poke32, poke64 } from "../../../ffi/machine.ts";
import { createThunk } from "../../../ffi/thunk/thunk.ts";
import { lasting } from "../../ffi/fixture.ts";

Deno.test("createByName() makes a function that goes by whether a name is given, and passes on all arguments", () => {
  const NAMED = 24,
    UNNAMED = 40,
    BELOW = { named: 32, unnamed: 48 },
    list = { offset: 0, stride: 8 },
    calls: unknown[] = [];
  const noted = (what: string, result: number) => (...args: unknown[]) => {
    calls.push(what, ...args);
    return result;
  };
  using named = createThunk("s:qqqq", noted("named", -6)), unnamed = createThunk("s:qqqq", noted("unnamed", 5));
  using block = new NativeBlock(128);
  const object = block.address,
    lists = createByName({ inTable: { named: NAMED, unnamed: UNNAMED }, below: BELOW, list, listDevices: 0 })!;
  block.view.setBigUint64(0, object + 64n, true);
  block.view.setBigUint64(64 + NAMED, named.address, true);
  block.view.setBigUint64(64 + UNNAMED, unnamed.address, true);
  block.view.setBigUint64(64 + BELOW.named, unnamed.address, true);
  block.view.setBigUint64(64 + BELOW.unnamed, named.address, true);
  const name = lasting("name"), empty = lasting("");
  const results = [name, empty, 0n].map((each) => invokeAddress(lists.ofObject, "s:qqqq", [object, each, 8n, 9n]));
  assertEquals(results, [-6, 5, 5]);
  const without = ["unnamed", object, 0n, 8n, 9n];
  assertEquals(calls.splice(0), ["named", object, name, 8n, 9n, ...without, ...without]);
  block.view.setUint32(120, 7, true);
  assertEquals(invokeAddress(lists.nothing, "s:qqqq", [object, name, object + 120n, 9n]), 0);
  assertEquals(block.view.getUint32(120, true), 0);
  assertEquals(invokeAddress(lists.nothing, "s:qqqq", [object, name, 0n, 9n]), 5);
  const below = [name, empty].map((each) => invokeAddress(lists.below, "s:qqqq", [object, each, 8n, 9n]));
  assertEquals([below, calls], [[5, -6], ["unnamed", object, name, 8n, 9n, "named", object, 0n, 8n, 9n]]);
});

Deno.test("createByName() makes a function that copies a list as far as there is room", () => {
  using block = new NativeBlock(256);
  const NOWHERE = { named: 0, unnamed: 8 };
  const { view, address } = block, LIST_AT = 128, OUT = 192, COUNT = 240;
  const { alone } = createByName({
    inTable: NOWHERE,
    below: NOWHERE,
    list: { offset: 24, stride: 16 },
    listDevices: 0,
  })!;
  view.setBigUint64(0, address + 64n, true);
  view.setBigUint64(64 + 24, address + BigInt(LIST_AT), true);
  view.setBigUint64(LIST_AT, 2n, true);
  [5n, 6n, 7n, 8n].forEach((value, index) => view.setBigUint64(LIST_AT + 16 + 8 * index, value, true));
  const ask = (room: number, out: number) => {
    view.setUint32(COUNT, room, true);
    const to = out === 0 ? 0n : address + BigInt(out);
    const result = invokeAddress(alone, "s:qqq", [address, address + BigInt(COUNT), to]);
    const found = [0, 8, 16, 24].map((at) => Number(view.getBigUint64(OUT + at, true)));
    return [result, view.getUint32(COUNT, true), ...found];
  };
  assertEquals(ask(9, 0), [0, 2, 0, 0, 0, 0]);
  assertEquals(ask(1, OUT), [5, 1, 5, 6, 0, 0]);
  assertEquals(ask(3, OUT), [0, 2, 5, 6, 7, 8]);
  assertEquals(invokeAddress(alone, "s:qqq", [address, 0n, 0n]), 5);
});

Deno.test("createByName() makes a function that has a group for each device that a command lists, 32 at most", () => {
  const NOWHERE = { named: 0, unnamed: 8 }, list = { offset: 0, stride: 8 }, LIST_DEVICES = 40, GROUP = 288;
  const { groupEach } = createByName({ inTable: NOWHERE, below: NOWHERE, list, listDevices: LIST_DEVICES })!;
  using block = new NativeBlock(128 + 40 * GROUP);
  const { view, address } = block, TABLE = 32, COUNT = 16, OUT = 128;
  let devices = 0;
  using enumerate = createThunk("s:qqq", (instance, count, out) => {
    assertEquals(instance, address);
    const room = out === 0n ? devices : Math.min(peek32(count as bigint), devices);
    for (let index = 0; out !== 0n && index < room; index++) {
      poke64(out as bigint + BigInt(8 * index), BigInt(100 + index));
    }
    poke32(count as bigint, room);
    return devices < 0 ? -1 : room < devices ? 5 : 0;
  });
  view.setBigUint64(0, address + BigInt(TABLE), true);
  view.setBigUint64(TABLE + LIST_DEVICES, enumerate.address, true);
  const ask = (room: number, isCounting = false) => {
    block.bytes.fill(0x55, OUT);
    view.setUint32(COUNT, room, true);
    const out = isCounting ? 0n : address + BigInt(OUT);
    const result = invokeAddress(groupEach, "s:qqq", [address, address + BigInt(COUNT), out]);
    return [result, view.getUint32(COUNT, true)];
  };
  const word = (at: number) => view.getUint32(OUT + at, true);
  const groupAt = (index: number) => [16, 24, 280].map((at) => word(GROUP * index + at));
  const isCallers = (index: number) => [0, 4, 8, 12].every((at) => word(GROUP * index + at) === 0x5555_5555);
  devices = 3;
  assertEquals([ask(0, true), ask(0), ask(2)], [[0, 3], [5, 0], [5, 2]]);
  assertEquals(ask(3), [0, 3]);
  assertEquals([0, 1, 2].map(groupAt), [[1, 100, 0], [1, 101, 0], [1, 102, 0]]);
  assertEquals([0, 1, 2, 3].map(isCallers), [true, true, true, true]);
  assertEquals([ask(5), groupAt(2)], [[0, 3], [1, 102, 0]]);
  devices = 40;
  assertEquals([ask(40), groupAt(31)], [[5, 32], [1, 131, 0]]);
  devices = -1;
  assertEquals(ask(3)[0], -1);
});
