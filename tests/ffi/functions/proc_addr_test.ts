import { assertEquals } from "@std/assert";
import { inFrame } from "../../../ffi/arena.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { ALWAYS, createProcAddr, type ProcAddr } from "../../../ffi/functions/proc_addr.ts";
import { fixture, lasting, NEEDS_FIXTURE } from "../fixture.ts";

/** Byte offsets in the tables: a command that is there, two that are not, of which one is stood in for, and where other names go. */
const THERE = 8, ABSENT = 16, STAND_IN = 24, MISS = 8 * 900;

const procs = createProcAddr({ instanceMiss: MISS, deviceMiss: MISS, deviceCheck: THERE }, [
  { name: "vkAlways", answer: 100n, instance: ALWAYS, device: 0, bare: true },
  { name: "vkCore", answer: 150n, instance: ALWAYS, device: 0 },
  { name: "vkGlobal", answer: 160n, instance: ABSENT, device: 0, bare: true },
  { name: "vkStandIn", answer: 170n, instance: ABSENT, device: STAND_IN },
  { name: "vkThere", answer: 200n, instance: THERE, device: THERE },
  { name: "vkAbsent", answer: 300n, instance: ABSENT, device: ABSENT },
  ...Array.from(
    { length: 800 },
    (_, index) => ({ name: `vk${index}`, answer: BigInt(index), instance: ALWAYS, device: 0 }),
  ),
]);

function ask(procs: ProcAddr, which: "ofInstance" | "ofDevice", handle: bigint, name: string | null): bigint {
  const text = name === null ? 0n : lasting(name);
  return invokeAddress(fixture("ask"), "q:qqq", [procs[which], handle, text]) as bigint;
}

/** An object with such a table; `miss` is where other names go. */
function withHandle(miss: bigint, run: (handle: bigint) => void): void {
  inFrame((memory) => {
    const table = memory.alloc(MISS + 8), object = memory.alloc(8);
    memory.view.setBigUint64(object, memory.address(table), true);
    memory.view.setBigUint64(table, 1n, true);
    memory.view.setBigUint64(table + THERE, 7n, true);
    memory.view.setBigUint64(table + STAND_IN, 9n, true);
    memory.view.setBigUint64(table + ABSENT, 0n, true);
    memory.view.setBigUint64(table + MISS, miss, true);
    run(memory.address(object));
  });
}

/** The answer of `name_hash` of the C counterparts. */
function hashOf(handle: bigint, name: string): bigint {
  return [...name].reduce((sum, letter) => BigInt.asUintN(64, sum * 31n + BigInt(letter.charCodeAt(0))), handle);
}

Deno.test("createProcAddr() answers for an instance by its table", NEEDS_FIXTURE, () => {
  withHandle(0n, (handle) => {
    const answers = ["vkAlways", "vkThere", "vkAbsent", "vkOther", "vk799", "vk", "", null];
    assertEquals(answers.map((name) => ask(procs!, "ofInstance", handle, name)), [
      100n,
      200n,
      0n,
      0n,
      799n,
      0n,
      0n,
      0n,
    ]);
  });
});

Deno.test("createProcAddr() answers for no instance what needs none, and nothing else", NEEDS_FIXTURE, () => {
  const answers = ["vkAlways", "vkGlobal", "vkCore", "vkThere", "vkAbsent", "vkOther", null];
  assertEquals(answers.map((name) => ask(procs!, "ofInstance", 0n, name)), [100n, 160n, 0n, 0n, 0n, 0n, 0n]);
});

Deno.test(
  "createProcAddr() may answer without an instance and not with one, and the other way round",
  NEEDS_FIXTURE,
  () => {
    withHandle(0n, (handle) => {
      assertEquals(["vkGlobal", "vkCore"].map((name) => ask(procs!, "ofInstance", handle, name)), [0n, 150n]);
    });
  },
);

Deno.test("createProcAddr() takes what stands in for a device's command for nothing", NEEDS_FIXTURE, () => {
  withHandle(0n, (handle) => assertEquals(ask(procs!, "ofDevice", handle, "vkStandIn"), 0n));
});

Deno.test("createProcAddr() answers for a device what its table holds", NEEDS_FIXTURE, () => {
  withHandle(0n, (handle) => {
    const answers = ["vkAlways", "vkThere", "vkAbsent", "vkOther", null];
    assertEquals(answers.map((name) => ask(procs!, "ofDevice", handle, name)), [0n, 7n, 0n, 0n, 0n]);
    assertEquals(answers.map((name) => ask(procs!, "ofDevice", 0n, name)), [0n, 0n, 0n, 0n, 0n]);
  });
});

Deno.test("createProcAddr() passes other names on to the handle's own function", NEEDS_FIXTURE, () => {
  withHandle(fixture("name_hash"), (handle) => {
    for (const which of ["ofInstance", "ofDevice"] as const) {
      assertEquals(ask(procs!, which, handle, "vkOther"), hashOf(handle, "vkOther"));
      assertEquals(ask(procs!, which, handle, "vkAbsent"), 0n);
    }
  });
});

Deno.test("set() changes an answer", NEEDS_FIXTURE, () => {
  procs!.set("vkAlways", 101n, ABSENT);
  assertEquals(ask(procs!, "ofInstance", 0n, "vkAlways"), 101n);
  withHandle(0n, (handle) => assertEquals(ask(procs!, "ofInstance", handle, "vkAlways"), 0n));
  procs!.set("vkAlways", 100n, ALWAYS);
});
