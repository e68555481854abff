import { assert, assertEquals, assertThrows } from "@std/assert";
import { invokeAddress } from "../../../ffi/machine.ts";
import { defineLayer, type ForeignCall, loadVulkan } from "../../../loader/mod.ts";
import { fixture, NEEDS_FIXTURE } from "../../ffi/fixture.ts";
import { NEEDS_TINY, TINY } from "../tiny.ts";
import { NativeVulkan } from "./native.ts";

const NEEDS = { ignore: NEEDS_FIXTURE.ignore || NEEDS_TINY.ignore };
const ROOM = 16, CALLS = 50;

/** Records what other threads call of vkGetEventStatus, with room for a few calls. */
function recorder(calls: ForeignCall[]) {
  return defineLayer({
    name: "VK_LAYER_TEST_recorder",
    commands: { vkGetEventStatus: (next, ...args) => next(...args) },
    onForeignThread: "record",
    recorded: (call) => calls.push(call),
  });
}

Deno.test("calls of other threads that find no room are counted, and everybody is told", NEEDS, () => {
  const calls: ForeignCall[] = [];
  using vulkan = loadVulkan({ driver: TINY!, layers: [recorder(calls)], foreignCalls: ROOM });
  using _installed = vulkan.install();
  using native = new NativeVulkan();
  const device = native.createDevice(native.firstGpu(native.createInstance()));
  const status = native.ofDevice(device, "vkGetEventStatus");
  const callElsewhere = () => invokeAddress(fixture("call3_on_thread"), "q:qqqq", [status, device, 5n, 0n]);
  assertEquals(vulkan.lostCalls, 0);
  for (let call = 0; call < CALLS; call++) callElsewhere();
  assertEquals([vulkan.drain(), vulkan.lostCalls], [ROOM, CALLS - ROOM]);
  callElsewhere();
  assertEquals(vulkan.drain(), 1);
  assertEquals(calls.map(({ lost }) => lost), Array(ROOM + 1).fill(CALLS - ROOM));
  const [finding] = vulkan.explain().filter(({ origin }) => origin.includes("record"));
  assertEquals(finding.level, "warning");
  assert(finding.reason.startsWith(`${CALLS - ROOM} calls of other threads found no room`), finding.reason);
});

Deno.test("there is room for tens of thousands of calls between two looks", NEEDS, () => {
  const calls: ForeignCall[] = [], many = 20_050;
  using vulkan = loadVulkan({ driver: TINY!, layers: [recorder(calls)] });
  using _installed = vulkan.install();
  using native = new NativeVulkan();
  const device = native.createDevice(native.firstGpu(native.createInstance()));
  invokeAddress(fixture("repeat_on_thread"), "v:qqqw", [native.ofDevice(device, "vkGetEventStatus"), device, 5n, many]);
  assertEquals([vulkan.drain(), vulkan.lostCalls, calls.length], [many, 0, many]);
});

Deno.test("room for other threads' calls is a number of them", NEEDS, () => {
  for (const foreignCalls of [0, -1, 1.5, 2 ** 21, NaN]) {
    assertThrows(() => loadVulkan({ driver: TINY!, foreignCalls }), TypeError, "foreignCalls");
  }
});
