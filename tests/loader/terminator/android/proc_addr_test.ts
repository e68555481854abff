import { assertEquals } from "@std/assert";
import { invokeAddress } from "../../../../ffi/machine.ts";
import { deviceProcAddr, instanceProcAddr } from "../../../../loader/driver/interface/probe.ts";
import { fixture as native } from "../../../ffi/fixture.ts";
import { type Asked, type Chains, withChains } from "./chains.ts";
import { windowsAt } from "./fake_windows.ts";
import { AndroidDriverFixture, ask, extensions, lacks, NEEDS_DRIVER } from "./fixture.ts";

const ANB = "VK_ANDROID_native_buffer", LISTED = extensions([ANB, 8], "VK_KHR_external_fence_fd");
const old = new AndroidDriverFixture("device_1_0", { DEVICE_VERSION: "(1<<22)" });
const plain = new AndroidDriverFixture(""),
  buffers = new AndroidDriverFixture("buffers", { DEVICE_EXTENSIONS: LISTED });
/** A function that is not the driver's, as the window system's own; never called. */
const WINDOWS = 0x1000n, windowSystem = windowsAt(WINDOWS);

/** The answer for a name: the driver's function, one of the level's, the window system's, or NULL. */
type Answer = "driver" | "level" | "windows" | "none";
type Row = readonly [rule: string, handle: "none" | "instance" | "device", name: string, answer: Answer];

/** Checks rows against the level's GetInstanceProcAddr, or its GetDeviceProcAddr for the handle of a device. */
function check(fixture: AndroidDriverFixture, asked: Asked, rows: readonly Row[]): void {
  withChains(fixture, asked, ({ driver, instance, device }: Chains) => {
    const own = fixture.address("vk_icdGetInstanceProcAddr");
    const ofDevice = deviceProcAddr(driver, instance, device);
    const find = {
      none: (name: string) => ask(driver.getInstanceProcAddr, 0n, name),
      instance: (name: string) => ask(instanceProcAddr(driver, instance), instance, name),
      device: (name: string) => ask(ofDevice, device, name),
    };
    for (const [rule, handle, name, answer] of rows) {
      const found = find[handle](name), theirs = ask(own, instance, name);
      const is = found === 0n ? "none" : found === theirs ? "driver" : found === WINDOWS ? "windows" : "level";
      assertEquals(is, answer, `${rule}: ${name}`);
    }
  });
}

Deno.test("driver-level vkGetInstanceProcAddr without an instance", NEEDS_DRIVER, () => {
  check(plain, {}, [
    ["a global hook gives its function", "none", "vkCreateInstance", "level"],
    ["a global hook gives its function", "none", "vkEnumerateInstanceExtensionProperties", "level"],
    ["old layers ask for vkCreateDevice", "none", "vkCreateDevice", "level"],
    ["other hooks give NULL", "none", "vkDestroyInstance", "none"],
    ["other hooks give NULL", "none", "vkGetInstanceProcAddr", "none"],
    ["other hooks give NULL", "none", "vkQueueSubmit", "none"],
    ["other hooks give NULL", "none", "vkGetDeviceQueue2", "none"],
    ["what is no hook is the driver's", "none", "vkEnumerateInstanceVersion", "driver"],
    ["what is no hook is the driver's", "none", "vkNoSuchCommand", "none"],
  ]);
});

Deno.test("driver-level vkGetInstanceProcAddr with an instance", NEEDS_DRIVER, () => {
  check(plain, {}, [
    ["what is no hook is the driver's", "instance", "vkGetPhysicalDeviceProperties", "driver"],
    ["what is no hook is the driver's", "instance", "vkGetEventStatus", "driver"],
    ["what is no hook is the driver's", "instance", "vkNoSuchCommand", "none"],
    ["a global hook gives NULL", "instance", "vkCreateInstance", "none"],
    ["a global hook gives NULL", "instance", "vkEnumerateInstanceExtensionProperties", "none"],
    ["an instance hook gives its function", "instance", "vkCreateDevice", "level"],
    ["what a hook has no part in is the driver's", "instance", "vkDestroyInstance", "driver"],
    ["an instance hook gives its function", "instance", "vkGetInstanceProcAddr", "level"],
    ["what a hook has no part in is the driver's", "instance", "vkEnumeratePhysicalDevices", "driver"],
    ["an instance hook that is not enabled gives NULL", "instance", "vkCreateDebugReportCallbackEXT", "none"],
    ["a device hook of 1.0 gives its function", "instance", "vkDestroyDevice", "driver"],
    ["a device hook of 1.0 gives its function", "instance", "vkGetDeviceProcAddr", "level"],
    ["a device hook of 1.0 gives its function", "instance", "vkQueueSubmit", "driver"],
    ["another device hook gives its guard", "instance", "vkGetDeviceQueue2", "level"],
    ["another device hook gives its guard", "instance", "vkBindImageMemory2KHR", "level"],
    ["native buffers are hidden", "instance", "vkAcquireImageANDROID", "none"],
    ["without a window system its commands are the driver's", "instance", "vkDestroySurfaceKHR", "driver"],
  ]);
  const instanceExtensions = ["VK_KHR_surface", "VK_EXT_debug_report"];
  check(buffers, { windowSystem, instanceExtensions }, [
    ["an instance hook gives its function", "instance", "vkCreateDebugReportCallbackEXT", "level"],
    ["an instance hook gives its function", "instance", "vkDestroySurfaceKHR", "windows"],
    ["an instance hook that is not enabled gives NULL", "instance", "vkCreateAndroidSurfaceKHR", "none"],
    ["VK_KHR_swapchain counts on every instance", "instance", "vkGetPhysicalDevicePresentRectanglesKHR", "windows"],
    ["another device hook gives its guard", "instance", "vkCreateSwapchainKHR", "level"],
    ["native buffers are hidden", "instance", "vkQueueSignalReleaseImageANDROID", "none"],
  ]);
});

Deno.test("driver-level vkGetDeviceProcAddr", NEEDS_DRIVER, () => {
  check(plain, {}, [
    ["what is no hook is the driver's", "device", "vkGetEventStatus", "driver"],
    ["what is no hook is the driver's", "device", "vkNoSuchCommand", "none"],
    ["a hook of another level gives NULL", "device", "vkCreateInstance", "none"],
    ["a hook of another level gives NULL", "device", "vkCreateDevice", "none"],
    ["a hook of another level gives NULL", "device", "vkEnumeratePhysicalDeviceGroups", "none"],
    ["a device hook gives its function", "device", "vkDestroyDevice", "driver"],
    ["a device hook gives its function", "device", "vkGetDeviceProcAddr", "level"],
    ["a device hook gives its function", "device", "vkGetDeviceQueue2", "driver"],
    ["a device hook that is not enabled gives NULL", "device", "vkBindImageMemory2KHR", "none"],
    ["native buffers are hidden", "device", "vkAcquireImageANDROID", "none"],
    ["without a window system its commands are the driver's", "device", "vkCreateSwapchainKHR", "driver"],
  ]);
  const deviceExtensions = ["VK_KHR_swapchain", "VK_KHR_external_fence_fd", "VK_KHR_present_wait2"];
  check(buffers, { windowSystem, deviceExtensions }, [
    ["a hook of release 17 gives its function", "device", "vkWaitForPresent2KHR", "windows"],
    ["a device hook gives its function", "device", "vkCreateSwapchainKHR", "windows"],
    ["VK_KHR_external_fence_fd brings this, too", "device", "vkReleaseSwapchainImagesEXT", "windows"],
    ["a device hook that is not enabled gives NULL", "device", "vkSetHdrMetadataEXT", "none"],
    ["a hook of 1.1 gives its function", "device", "vkBindImageMemory2", "windows"],
    ["native buffers are hidden", "device", "vkGetSwapchainGrallocUsage2ANDROID", "none"],
  ]);
});

Deno.test("hooks of release 17 are not there before it", NEEDS_DRIVER, () => {
  const asked = { windowSystem, release: 16, deviceExtensions: ["VK_KHR_present_wait2"] } as const;
  check(buffers, asked, [["not there", "device", "vkWaitForPresent2KHR", "none"]]);
});

Deno.test("a device of 1.0 has no hooks of 1.1, and a driver that lacks one has none either", NEEDS_DRIVER, () => {
  const short = new AndroidDriverFixture("no_queue2", { LACKS: lacks("vkGetDeviceQueue2") });
  for (const fixture of [old, short]) {
    check(fixture, {}, [["not there", "device", "vkGetDeviceQueue2", "none"], [
      "there",
      "instance",
      "vkGetDeviceQueue2",
      "level",
    ]]);
  }
});

/** Calls the guard of vkBindImageMemory2 for a device, on this thread or another; its result and what the driver saw. */
function callGuard(fixture: AndroidDriverFixture, elsewhere: boolean, log?: (text: string) => void): unknown[] {
  let result: unknown, seen: string[] = [];
  withChains(fixture, { log }, ({ driver, instance, device }) => {
    const guard = ask(instanceProcAddr(driver, instance), instance, "vkBindImageMemory2");
    seen = fixture.watching(() => {
      result = elsewhere
        ? invokeAddress(native("call_result_on_thread"), "s:qq", [guard, device])
        : invokeAddress(guard, "s:qwq", [device, 0, 0n]);
    });
  });
  return [result, ...seen];
}

Deno.test(
  "a guard calls what its device has, and nothing on a device without the extension",
  NEEDS_DRIVER,
  async () => {
    const said: string[] = [], log = (text: string) => said.push(text);
    assertEquals(callGuard(plain, false, log), [0, "bind"]);
    assertEquals(callGuard(old, false, log), [0, ""]);
    await Promise.resolve();
    assertEquals(said, ["vkBindImageMemory2 does nothing: VK_VERSION_1_1 is not enabled"]);
  },
);

Deno.test("a guard works on any thread", NEEDS_DRIVER, () => {
  assertEquals(callGuard(plain, true), [0, "bind"]);
  assertEquals(callGuard(old, true), [0, ""]);
});

Deno.test("VK8: a command without a hook has the driver's own address, for scripts too", NEEDS_DRIVER, () => {
  plain.withDevice((device) => {
    assertEquals(device.vkGetDeviceProcAddr("vkGetEventStatus"), plain.address("android_status"));
  });
});
