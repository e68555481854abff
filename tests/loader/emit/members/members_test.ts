import { assertEquals } from "@std/assert";
import { NativeBlock } from "../../../../ffi/block.ts";
import { libcAddress } from "../../../../ffi/libc.ts";
import { readCString } from "../../../../ffi/cstring.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress, peek64 } from "../../../../ffi/machine.ts";
import { createThunk } from "../../../../ffi/thunk/thunk.ts";
import { compileFixture } from "../../../support/compile.ts";
import { needs } from "../../../support/require.ts";
import { INSTANCE, LIST, MEMBER, PHYSICAL_DEVICE, SURFACE as OURS } from "../../../../loader/emit/layout.ts";
import { createMembers, type MemberJump } from "../../../../loader/emit/members/members.ts";
import { fixture, NEEDS_FIXTURE } from "../../../ffi/fixture.ts";

/** Where, in the block of a test, the parts of a small joined driver lie. */
const AT = { table: 0, gpu: 512, device: 640, deviceTable: 768, surface: 1024, struct: 1152, out: 1280, list: 1408 };
/** Byte offset of a member's surface in ours, and of the member's table in the device's. */
const SURFACE = 112, MEMBER_OFFSET = 40, JOINED = 0x77n;
const TYPES = { instance: 1, physicalDevice: 2, surface: 1_000_000_000 };

const absent = { result: -7 }, death = compileFixture("death");
const target = (index: number) => MEMBER.functions + 8 * index;
const named = {
  holder: "device",
  argument: 1,
  absent,
  struct: {
    size: 40,
    handle: 24,
    kinds: (["instance", "physicalDevice", "surface"] as const).map((kind) => ({ type: TYPES[kind], kind })),
  },
} as const;
const JUMPS: MemberJump[] = [
  { name: "bySurface", holder: "physicalDevice", target: target(2), argument: 1, absent },
  { name: "byThird", holder: "physicalDevice", target: target(2), argument: 2, absent: { result: 0, clear: 3 } },
  { name: "ofDevice", holder: "device", target: target(2), argument: 1, absent },
  {
    name: "inStruct",
    holder: "physicalDevice",
    target: target(3),
    argument: 1,
    absent,
    struct: { size: 24, handle: 16, kinds: [{ kind: "surface" }] },
  },
  { name: "named", target: target(3), ...named },
];
const SAID = "no surface\n";
const swapchains = { size: 24, handle: 16, kinds: [{ kind: "surface" }] } as const;
const refused = { result: -7, refusesNull: true, said: SAID };
JUMPS.push({
  name: "swapchain",
  holder: "device",
  target: target(7),
  argument: 1,
  absent: refused,
  struct: swapchains,
});
const shared = { name: "shared", target: target(8), absent: refused, struct: swapchains };
const TABLE = {
  size: 512,
  destroyInstance: target(4),
  destroySurface: target(5),
  listDevices: target(6),
  listGroups: target(10),
  getInstanceProcAddr: target(9),
};
const members = createMembers({
  count: 4,
  jumps: JUMPS,
  shared,
  memberOffset: MEMBER_OFFSET,
  variables: [],
  table: TABLE,
})!;

/** Runs with a member whose own physical device is `AT.out`, whose surface is 5 and whose instance is 6. */
function withMember(run: (at: (name: keyof typeof AT) => bigint, view: DataView) => void): void {
  using block = new NativeBlock(2048);
  const { view } = block, at = (name: keyof typeof AT) => block.address + BigInt(AT[name]);
  const set = (offset: number, value: bigint) => view.setBigUint64(offset, value, true);
  set(AT.table + MEMBER.surface, BigInt(SURFACE));
  set(AT.table + MEMBER.instance, 6n);
  set(AT.table + target(0), fixture("two"));
  set(AT.table + target(1), fixture("seven"));
  set(AT.table + target(2), fixture("see10"));
  set(AT.table + target(3), libcAddress("memcpy"));
  set(AT.gpu + PHYSICAL_DEVICE.table, at("table"));
  set(AT.gpu + PHYSICAL_DEVICE.handle, at("out"));
  set(AT.device, at("deviceTable"));
  set(AT.deviceTable + MEMBER_OFFSET, at("table"));
  set(AT.surface + SURFACE, 5n);
  set(AT.table + MEMBER.joined, JOINED);
  set(AT.surface + OURS.instance, JOINED);
  run(at, view);
}

const seen = (count: number) =>
  Array.from({ length: count }, (_, index) => invokeAddress(fixture("seen10"), "q:w", [index]));

Deno.test("members exchange the physical device and leave other arguments alone", NEEDS_FIXTURE, () => {
  withMember((at) => {
    assertEquals(invokeAddress(members.at(0), "q:qq", [at("gpu"), 4n]), at("out") + 8n);
    const seven = invokeAddress(members.at(1), "q:qqqqqqq", [at("gpu"), 1n, 1n, 1n, 1n, 1n, 1n]);
    assertEquals(seven, at("out") + 27n);
  });
});

Deno.test("a jump exchanges a surface in any place, and leaves NULL alone", NEEDS_FIXTURE, () => {
  withMember((at) => {
    invokeAddress(members.jump("bySurface"), "q:qqqq", [at("gpu"), at("surface"), 8n, 9n]);
    assertEquals(seen(4), [at("out"), 5n, 8n, 9n]);
    invokeAddress(members.jump("byThird"), "q:qqqq", [at("gpu"), 7n, at("surface"), 9n]);
    assertEquals(seen(4), [at("out"), 7n, 5n, 9n]);
    invokeAddress(members.jump("byThird"), "q:qqqq", [at("gpu"), 7n, 0n, 9n]);
    assertEquals(seen(4), [at("out"), 7n, 0n, 9n]);
    invokeAddress(members.jump("ofDevice"), "q:qqq", [at("device"), at("surface"), 9n]);
    assertEquals(seen(3), [at("device"), 5n, 9n]);
  });
});

Deno.test("a jump exchanges a surface in a copy of the struct that holds it", NEEDS_FIXTURE, () => {
  withMember((at, view) => {
    view.setBigUint64(AT.struct, 11n, true);
    view.setBigUint64(AT.struct + 16, at("surface"), true);
    invokeAddress(members.jump("inStruct"), "q:qqq", [at("gpu"), at("struct"), 24n]);
    assertEquals([view.getBigUint64(AT.out, true), view.getBigUint64(AT.out + 16, true)], [11n, 5n]);
    assertEquals(view.getBigUint64(AT.struct + 16, true), at("surface"));
    invokeAddress(members.jump("inStruct"), "q:qqq", [at("gpu"), 0n, 0n]); // memcpy of nothing
  });
});

Deno.test("a jump exchanges a handle by the type beside it, and leaves others and NULL alone", NEEDS_FIXTURE, () => {
  const exchanged = (type: number, handle: bigint): bigint => {
    let found = 0n;
    withMember((at, view) => {
      const ours = { [TYPES.physicalDevice]: at("gpu"), [TYPES.surface]: at("surface") }[type] ?? handle;
      view.setUint32(AT.struct + 16, type, true);
      view.setBigUint64(AT.struct + 24, handle === 0n ? 0n : ours, true);
      invokeAddress(members.jump("named"), "q:qqq", [at("device"), at("struct"), 40n]);
      found = view.getBigUint64(AT.device + 24, true);
      if (found === at("out")) found = -1n;
    });
    return found;
  };
  assertEquals(exchanged(TYPES.instance, 77n), 6n);
  assertEquals(exchanged(TYPES.physicalDevice, 77n), -1n);
  assertEquals(exchanged(TYPES.surface, 77n), 5n);
  assertEquals(exchanged(TYPES.surface, 0n), 0n);
  assertEquals(exchanged(9, 77n), 77n); // VK_OBJECT_TYPE_BUFFER
});

Deno.test("listMembers copies what there is room for", () => {
  using block = new NativeBlock(512);
  const { view, address } = block, instance = address + 128n, out = address + 64n;
  [3n, 0n, 11n, 12n, 13n].forEach((value, index) => view.setBigUint64(8 * index, value, true));
  view.setBigUint64(128 + INSTANCE.list, address, true);
  using told = createThunk("s:qqq", () => -3);
  view.setBigUint64(128 + INSTANCE.changed, told.address, true);
  const list = (room: number, to: bigint) => {
    view.setUint32(56, room, true);
    view.setBigUint64(64 + 16, 99n, true);
    const result = invokeAddress(members.list, "s:qqq", [instance, address + 56n, to]);
    return [result, view.getUint32(56, true), ...[0, 8, 16].map((at) => Number(view.getBigUint64(64 + at, true)))];
  };
  assertEquals(list(0, 0n).slice(0, 2), [0, 3]);
  assertEquals(list(2, out), [5, 2, 11, 12, 99]);
  assertEquals(list(3, out), [0, 3, 11, 12, 13]);
  assertEquals(list(9, out), [0, 3, 11, 12, 13]);
  assertEquals(invokeAddress(members.list, "s:qqq", [instance, 0n, out]), -3);
  view.setInt32(LIST.result, -9, true);
  assertEquals(list(9, out)[0], -9);
});

Deno.test("a jump answers by itself when the member has no surface for ours", NEEDS_FIXTURE, () => {
  withMember((at, view) => {
    view.setBigUint64(AT.surface + SURFACE, 0n, true);
    view.setBigUint64(AT.struct + 16, at("surface"), true);
    view.setUint32(AT.list, 9, true);
    assertEquals(invokeAddress(members.jump("bySurface"), "s:qqqq", [at("gpu"), at("surface"), 8n, 9n]), -7);
    assertEquals(invokeAddress(members.jump("inStruct"), "s:qqq", [at("gpu"), at("struct"), 24n]), -7);
    assertEquals(invokeAddress(members.jump("byThird"), "s:qqqq", [at("gpu"), 7n, at("surface"), at("list")]), 0);
    assertEquals(view.getUint32(AT.list, true), 0);
  });
});

Deno.test("listGroups copies groups, and goes on to the members where something is chained to one", () => {
  const GROUP = 288, CHAINED = 16, NEXT = 8;
  using block = new NativeBlock(128 + 16 + 2 * GROUP + 3 * GROUP);
  const { view, address } = block, list = 128, out = list + 16 + 2 * GROUP;
  view.setBigUint64(INSTANCE.groups, address + BigInt(list), true);
  view.setBigUint64(list, 2n, true);
  for (let at = 0; at < 2 * GROUP; at += 8) view.setBigUint64(list + LIST.elements + at, BigInt(1000 + at), true);
  for (let at = 0; at < 3 * GROUP; at += 8) view.setBigUint64(out + at, 7n, true);
  for (let index = 0; index < 3; index++) view.setBigUint64(out + GROUP * index + NEXT, 0n, true);
  const asked: unknown[] = [], args = [address, address + 120n, address + BigInt(out)];
  using changed = createThunk("s:qqq", (...args) => asked.push(args));
  view.setBigUint64(INSTANCE.changedGroups, changed.address, true);
  view.setUint32(120, 3, true);
  view.setBigUint64(out + 2 * GROUP + NEXT, 9n, true);
  assertEquals([invokeAddress(members.listGroups, "s:qqq", args), asked], [1, [args]]);
  view.setUint32(120, 2, true);
  assertEquals([invokeAddress(members.listGroups, "s:qqq", args), asked.length], [0, 1]);
  view.setBigUint64(out + 2 * GROUP + NEXT, 0n, true);
  view.setUint32(120, 3, true);
  assertEquals(invokeAddress(members.listGroups, "s:qqq", args), 0);
  const found = Array.from({ length: 3 * GROUP / 8 }, (_, index) => Number(view.getBigUint64(out + 8 * index, true)));
  const ofCaller = (at: number) => at % GROUP === NEXT ? 0 : 7;
  const isCallers = (at: number) => at % GROUP < CHAINED || at >= 2 * GROUP;
  const wanted = found.map((_, index) => isCallers(8 * index) ? ofCaller(8 * index) : 1000 + 8 * index);
  assertEquals([view.getUint32(120, true), found], [2, wanted]);
});

Deno.test("swapchains get the member's own surfaces, and none of what is no surface", {
  ignore: NEEDS_FIXTURE.ignore || needs("C compiler (cc)", death).ignore,
}, () => {
  const deathOf = Library.open(death!).require("death_of");
  withMember((at, view) => {
    const calls: unknown[] = [], said = new NativeBlock(256);
    const surfacesAt = (infos: bigint, count: number) =>
      Array.from({ length: count }, (_, index) => peek64(infos + BigInt(24 * index + 16)));
    using one = createThunk("s:qqqq", (device, info, ...rest) => {
      calls.push([device, surfacesAt(info as bigint, 1), ...rest]);
      return 5;
    });
    using many = createThunk("s:qwqqq", (device, count, infos, ...rest) => {
      calls.push([device, count, surfacesAt(infos as bigint, count as number), ...rest]);
      return 6;
    });
    view.setBigUint64(AT.table + target(7), one.address, true);
    view.setBigUint64(AT.table + target(8), many.address, true);
    const set = (...surfaces: bigint[]) =>
      surfaces.forEach((surface, index) => view.setBigUint64(AT.struct + 24 * index + 16, surface, true));
    /** The result, and what standard error gets. */
    const told = (name: string, second: bigint) => {
      const result = said.address + 128n;
      invokeAddress(deathOf, "s:qqqqwq", [members.jump(name), at("device"), second, said.address, 100, result]);
      return [said.view.getInt32(128, true), readCString(said.address)];
    };
    set(at("surface"), at("surface"));
    assertEquals(invokeAddress(members.jump("swapchain"), "s:qqqq", [at("device"), at("struct"), 8n, 9n]), 5);
    assertEquals(
      invokeAddress(members.jump("shared"), "s:qqqqq", [at("device"), 0xabc_0000_0002n, at("struct"), 8n, 9n]),
      6,
    );
    assertEquals(calls.splice(0), [[at("device"), [5n], 8n, 9n], [at("device"), 2, [5n, 5n], 8n, 9n]]);
    assertEquals(surfacesAt(at("struct"), 2), [at("surface"), at("surface")]);
    for (const none of [0n, at("table")]) {
      set(none);
      assertEquals(told("swapchain", at("struct")), [-7, SAID]);
      set(at("surface"), none);
      assertEquals(invokeAddress(members.jump("shared"), "s:qqqqq", [at("device"), 2n, at("struct"), 8n, 9n]), -7);
    }
    view.setBigUint64(AT.surface + SURFACE, 0n, true);
    set(at("surface"));
    assertEquals(told("swapchain", at("struct")), [-7, SAID]);
    assertEquals(calls, []);
    said.close();
  });
});

Deno.test("unknownOfOne finds what one member alone has for devices, and nothing for physical devices", () => {
  using block = new NativeBlock(4096);
  const { view, address } = block, at = (member: number) => INSTANCE.tables + TABLE.size * member;
  const asked: unknown[] = [], answers: Record<string, bigint> = {};
  const ask = (kind: string) =>
    createThunk("q:qq", (instance, name) => {
      asked.push(`${kind} ${instance} ${name}`);
      return answers[`${kind} ${instance}`] ?? 0n;
    });
  using ofInstance = ask("instance");
  using ofGpu = ask("gpu");
  view.setBigUint64(INSTANCE.count, 2n, true);
  for (const member of [0, 1]) {
    view.setBigUint64(at(member) + MEMBER.instance, BigInt(100 + member), true);
    view.setBigUint64(at(member) + target(9), ofInstance.address, true);
  }
  view.setBigUint64(at(1) + MEMBER.physicalDeviceProcAddr, ofGpu.address, true);
  const find = () => invokeAddress(members.unknownOfOne, "q:qq", [address, 7n]);
  assertEquals(find(), 0n);
  assertEquals(asked, ["instance 100 7", "gpu 101 7", "instance 101 7"]);
  answers["instance 101"] = 55n;
  assertEquals(find(), 55n);
  answers["gpu 101"] = 66n;
  assertEquals(find(), 0n);
  delete answers["gpu 101"];
  answers["instance 100"] = 77n;
  assertEquals(find(), 0n);
  delete answers["instance 101"];
  assertEquals(find(), 77n);
});
