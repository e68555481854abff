import { assert, assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { poke32 } from "../../../../ffi/machine.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { ERROR_CODES } from "../../../../loader/gen/error_codes_gen.js";
import { faultInjection, type FaultRule } from "../../../../workbench/layers.ts";
import { VulkanError } from "../../../../loader/mod.ts";
import type { VkDevice } from "../../../../loader/types.ts";
import { openDevice } from "../../../support/device.ts";
import { needs } from "../../../support/require.ts";
import { withScripted } from "./scripted.ts";

const EVENT = {}, LOST = "VK_ERROR_DEVICE_LOST", OUT_OF_MEMORY = "VK_ERROR_OUT_OF_HOST_MEMORY";

/** Makes and destroys `count` events; says which went well. */
function tryEvents(device: VkDevice, count: number): boolean[] {
  return Array.from({ length: count }, () => {
    try {
      device.vkDestroyEvent(device.vkCreateEvent(EVENT));
      return true;
    } catch (error) {
      assert(error instanceof VulkanError);
      return false;
    }
  });
}

Deno.test("faultInjection() fails a command after some calls, some times, without calling the driver", () => {
  const { layer, injected } = faultInjection({
    rules: [{ command: "vkCreateEvent", result: OUT_OF_MEMORY, after: 2, times: 3 }],
  });
  withScripted([layer], ({ device, driver }) => {
    assertEquals(tryEvents(device, 7), [true, true, false, false, false, true, true]);
    assertEquals(driver.calls.filter((name) => name === "vkCreateEvent").length, 4);
  });
  assertEquals(injected.map(({ result, name, rule, call }) => [result, name, rule, call]), [
    [-1, OUT_OF_MEMORY, 0, 3],
    [-1, OUT_OF_MEMORY, 0, 4],
    [-1, OUT_OF_MEMORY, 0, 5],
  ]);
});

Deno.test("faultInjection() lists what it injected, by kind, and the rules that failed nothing", () => {
  const rules = [
    { command: "vkCreateEvent", result: OUT_OF_MEMORY, after: 2 },
    { command: "vkQueueSubmit", result: LOST },
    { command: /^vkCreateFence$/, result: OUT_OF_MEMORY },
  ];
  const { layer, text, reset } = faultInjection({ rules });
  const idle = "rule 2 (/^vkCreateFence$/): no call failed";
  withScripted([layer], ({ device }) => {
    tryEvents(device, 15);
    assertThrows(() => device.vkGetDeviceQueue(0, 0).vkQueueSubmit([]), VulkanError, LOST);
    assertThrows(() => device.vkDeviceWaitIdle(), VulkanError, LOST);
  });
  assertEquals(text().split("\n"), [
    "15 faults injected",
    `vkCreateEvent returned ${OUT_OF_MEMORY} by rule 0: calls 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 3 more`,
    `vkQueueSubmit returned ${LOST} by rule 1: call 1`,
    `vkDeviceWaitIdle returned ${LOST} by rule 1: 1 call after the device was lost`,
    idle,
  ]);
  reset();
  assertEquals(text().split("\n").slice(0, 2), ["no fault was injected", "rule 0 (vkCreateEvent): no call failed"]);
});

Deno.test("faultInjection() leaves the outputs of a failed call as they were", () => {
  const { layer } = faultInjection({ rules: [{ command: "vkCreateEvent", result: -2 }] });
  withScripted([layer], ({ device }) => {
    assertThrows(() => device.vkCreateEvent(EVENT), VulkanError, "VK_ERROR_OUT_OF_DEVICE_MEMORY");
    const out = new BigUint64Array([77n]), at = BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(out)));
    assertEquals([device.raw.vkCreateEvent(device.handle, 0n, 0n, at), out[0]], [-2, 77n]);
  });
});

Deno.test("faultInjection() keeps a lost device lost, and no other", () => {
  const { layer, injected } = faultInjection({ rules: [{ command: "vkQueueSubmit", result: LOST, times: 1 }] });
  withScripted([layer], ({ device, gpu }) => {
    using other = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
    const queue = device.vkGetDeviceQueue(0, 0);
    device.vkDeviceWaitIdle();
    for (
      const call of [() => queue.vkQueueSubmit([]), () => device.vkDeviceWaitIdle(), () => queue.vkQueueWaitIdle()]
    ) {
      assertThrows(call, VulkanError, LOST);
    }
    device.vkDestroyEvent(device.vkCreateEvent(EVENT)); // which may not say that the device is lost
    other.vkDeviceWaitIdle();
    other.vkGetDeviceQueue(0, 0).vkQueueSubmit([]);
  });
  assertEquals(injected.map(({ command, call }) => [command, call]), [
    ["vkQueueSubmit", 1],
    ["vkDeviceWaitIdle", 0],
    ["vkQueueWaitIdle", 0],
  ]);
});

Deno.test("faultInjection() starts with a good device where a lost one was", () => {
  const { layer } = faultInjection({ rules: [{ command: "vkDeviceWaitIdle", result: LOST, times: 1 }] });
  withScripted([layer], ({ device, gpu }) => {
    assertThrows(() => device.vkDeviceWaitIdle(), VulkanError, LOST);
    for (let i = 0; i < 3; i++) {
      device.close();
      using again = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
      again.vkDeviceWaitIdle();
    }
  });
});

Deno.test("faultInjection() loses a device for one call alone when it shall not stick, and other results for good when they shall", () => {
  const rules: FaultRule[] = [
    { command: "vkDeviceWaitIdle", result: LOST, times: 1, sticky: false },
    { command: "vkCreateEvent", result: -1, after: 1, times: 1, sticky: true },
  ];
  withScripted([faultInjection({ rules }).layer], ({ device }) => {
    assertThrows(() => device.vkDeviceWaitIdle(), VulkanError, LOST);
    device.vkDeviceWaitIdle();
    assertEquals(tryEvents(device, 4), [true, false, false, false]);
  });
});

Deno.test("faultInjection() returns status codes as values: a timeout without the driver, a suboptimal swapchain with it", () => {
  const rules: FaultRule[] = [
    { command: "vkWaitForFences", result: "VK_TIMEOUT" },
    { command: /^vkAcquireNextImage/, result: "VK_SUBOPTIMAL_KHR" },
    { command: "vkQueuePresentKHR", result: "VK_ERROR_OUT_OF_DATE_KHR" },
  ];
  withScripted([faultInjection({ rules }).layer], ({ device, driver }) => {
    const fence = device.vkCreateFence({}), queue = device.vkGetDeviceQueue(0, 0);
    assertEquals(device.vkWaitForFences([fence], true, 0n), 2);
    assert(!driver.calls.includes("vkWaitForFences"));
    const { result, imageIndex } = device.vkAcquireNextImageKHR(9n as never, 0n, null, fence);
    assertEquals([result, imageIndex], [1000001003, 3]);
    const present = () => queue.vkQueuePresentKHR({ pSwapchains: [9n as never], pImageIndices: [3] });
    assertThrows(present, VulkanError, "OUT_OF_DATE");
    device.vkDestroyFence(fence);
  }, {
    physicalDevices: [{ extensions: ["VK_KHR_swapchain"] }],
    commands: { vkAcquireNextImageKHR: (_next, ...args) => (poke32(args[5], 3), 0) },
  });
});

Deno.test("faultInjection() installs no hook for a command it has nothing to do with", () => {
  const { layer } = faultInjection({ rules: [{ command: "vkCreateEvent", result: -1 }] });
  assertEquals(layer.anyCommand!("vkQueueSubmit"), undefined);
  assertEquals(layer.anyCommand!("vkCreateDevice"), undefined);
  assert(layer.anyCommand!("vkCreateEvent"));
  const losing = faultInjection({ rules: [{ command: "vkQueueSubmit", result: -4 }] }).layer;
  assert(losing.anyCommand!("vkWaitForFences"));
  assertEquals(losing.anyCommand!("vkCreateEvent"), undefined);
});

Deno.test("faultInjection() refuses results a command may not return, and lists those it may", () => {
  const refuse = (rule: FaultRule, ...words: string[]) => {
    const { message } = assertThrows(() => faultInjection({ rules: [rule] }), TypeError);
    for (const word of words) assert(message.includes(word), message);
  };
  refuse({ command: "vkCreateEvent", result: LOST }, "rules[0]", "vkCreateEvent may not", OUT_OF_MEMORY, "(-2)");
  refuse({ command: "vkCreateEvent", result: 0 }, "VK_SUCCESS");
  refuse({ command: "vkCmdDraw", result: -1 }, "none: it cannot fail");
  refuse({ command: "vkCreateEvnt", result: -1 }, "is it vkCreateEvent?");
  refuse({ command: "vkCreateEvent", result: "VK_ERROR_OUT_OF_LUCK" }, "no such VkResult");
  refuse({ command: /^vkCmdDraw/, result: -1 }, "no command that matches");
  refuse({ command: "vkCreateEvent", result: -1, probability: 2 }, "probability is 2", "0 to 1");
  refuse({ command: "vkCreateEvent", result: -1, after: -1 }, "after is -1");
});

Deno.test("faultInjection() does the same for the same seed and calls, and again after a reset", () => {
  const run = (seed: number, probability: number, again = false) => {
    const faults = faultInjection({ seed, rules: [{ command: "vkCreateEvent", result: -1, probability }] });
    let seen: boolean[] = [];
    withScripted([faults.layer], ({ device }) => {
      seen = tryEvents(device, 60);
      if (again) faults.reset();
      if (again) assertEquals(tryEvents(device, 60), seen);
    });
    assertEquals(faults.injected.length, seen.filter((good) => !good).length);
    return seen;
  };
  fc.assert(
    fc.property(fc.integer(), fc.double({ min: 0, max: 1, noNaN: true }), (seed, probability) => {
      assertEquals(run(seed, probability), run(seed, probability, true));
    }),
    { numRuns: 6 },
  );
  assert(run(1, 0.5).join() !== run(2, 0.5).join());
  const failures = run(3, 0.5).filter((good) => !good).length;
  assert(failures > 15 && failures < 45, `${failures} of 60`);
});

Deno.test("ERROR_CODES names every command once, with codes other than VK_SUCCESS", () => {
  const lines = ERROR_CODES.trim().split("\n"), names = lines.flatMap((line) => line.trim().split(" ").slice(1));
  assertEquals(new Set(names).size, names.length);
  for (const line of lines) assert(line.split(" ")[0].split("|").every((code) => Number(code) !== 0), line);
});

Deno.test("faultInjection() loses a device of lavapipe", needs("Mesa lavapipe", lavapipePath()), () => {
  const { layer } = faultInjection({ rules: [{ command: /^vkQueueSubmit/, result: LOST }] });
  using open = openDevice({ driver: lavapipePath()!, layers: [layer] });
  assertThrows(() => open.device.vkGetDeviceQueue(0, 0).vkQueueSubmit([]), VulkanError, LOST);
  assertThrows(() => open.device.vkDeviceWaitIdle(), VulkanError, LOST);
});
