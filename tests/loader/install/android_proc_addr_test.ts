import { assertEquals } from "@std/assert";
import { arena } from "../../../ffi/arena.ts";
import { peek64, poke64 } from "../../../ffi/machine.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import { androidExports } from "../../../loader/install/exports.ts";
import type { VulkanOptions } from "../../../loader/mod.ts";
import { AndroidDriverFixture, lacks, NEEDS_DRIVER } from "../terminator/android/fixture.ts";
import { type Asked, checkNative, checkScript, type Row, withAsked } from "./proc_addr_rows.ts";

const driver = new AndroidDriverFixture("no_swapchain", { LACKS: lacks("vkCreateSwapchainKHR") });
const GLOBALS = [
  "vkCreateInstance",
  "vkEnumerateInstanceVersion",
  "vkEnumerateInstanceExtensionProperties",
  "vkEnumerateInstanceLayerProperties",
];

function asking(use: (asked: Asked) => void, options: VulkanOptions = {}): void {
  using vulkan = driver.load(options);
  withAsked(vulkan, {}, use);
}

/** The rules of vkGetInstanceProcAddr and vkGetDeviceProcAddr, a row each case, that native code and scripts share. */
const ROWS: readonly Row[] = [
  ...GLOBALS.map((name): Row => ["without an instance: the globals", "NULL", name, "export"]),
  ["without an instance: itself", "NULL", "vkGetInstanceProcAddr", "export"],
  ["without an instance: nothing else", "NULL", "vkDestroyInstance", "none"],
  ["without an instance: nothing else", "NULL", "vkCreateDevice", "none"],
  ["without an instance: nothing else", "NULL", "vkQueueSubmit", "none"],
  ...GLOBALS.map((name): Row => ["with an instance: no globals", "instance", name, "none"]),
  ["instance commands the driver lacks", "instance", "vkGetPhysicalDeviceSparseImageFormatProperties", "none"],
  ["instance extensions that are not enabled", "instance", "vkCreateDebugReportCallbackEXT", "none"],
  ["names that are none", "instance", "vkNoSuchCommand", "none"],
  ["native buffers", "instance", "vkAcquireImageANDROID", "none"],
  ["no device", "NULL device", "vkQueueSubmit", "none"],
  ["no device command", "device", "vkCreateInstance", "none"],
  ["no device command", "device", "vkGetInstanceProcAddr", "none"],
  ["no device command", "device", "vkCreateDevice", "none"],
  ["no device command", "device", "vkGetPhysicalDeviceFeatures2", "none"],
  ["the loader's", "device", "vkGetDeviceProcAddr", "function"],
  ["the loader's", "device", "vkDestroyDevice", "function"],
  ["the chain's", "device", "vkGetEventStatus", "function"],
  ["the chain's", "device", "vkGetDeviceQueue2", "function"],
  ["the chain lacks it", "device", "vkCreateSwapchainKHR", "none"],
  ["the chain lacks it", "device", "vkDeviceWaitIdle", "none"],
  ["not enabled", "device", "vkBindImageMemory2KHR", "none"],
  ["native buffers", "device", "vkAcquireImageANDROID", "none"],
];

Deno.test("GetProcAddr of Android's loader, rule by rule", NEEDS_DRIVER, () => {
  asking((asked) => {
    checkNative(asked, ROWS);
    checkScript(asked, ROWS);
  });
});

Deno.test("every device command that Android exports is the export, enabled or not", NEEDS_DRIVER, () => {
  for (const release of [15, 17] as const) {
    asking((asked) => {
      const listed = androidExports(release).filter((name) => name !== "vkGetImageSubresourceLayout2EXT");
      const names = listed.filter((name) => findCommand(name)!.level === "device");
      const intercepted = ["vkCreateDevice", "vkDestroyInstance", "vkEnumerateDeviceLayerProperties"];
      checkNative(asked, [...names, ...intercepted].map((name): Row => ["exported", "instance", name, "export"]));
    }, { release });
  }
});

Deno.test("VK6: the library exports Android's names, and only those", NEEDS_DRIVER, () => {
  asking(({ native }) => {
    const exports = (name: string) => native.find(name) !== 0n;
    assertEquals(androidExports(15).filter((name) => !exports(name)), []);
    for (const name of ["vkCreateXcbSurfaceKHR", "vkMapMemory2", "vkCreateDebugUtilsMessengerEXT"]) {
      assertEquals(exports(name), false, name);
    }
  }, { release: 15 });
  asking(({ native }) => assertEquals(native.find("vkMapMemory2") !== 0n, true));
});

Deno.test("VK7, VK8: an export leads where vkGetDeviceProcAddr points", NEEDS_DRIVER, () => {
  asking(({ native, device }) => {
    const own = driver.address("android_status");
    assertEquals(native.ofDevice(device.handle, "vkGetEventStatus"), own);
    assertEquals(native.find("vkGetEventStatus") === own, false);
    assertEquals(native.call("vkGetEventStatus", [device.handle, 5n]), 3);
    assertEquals(native.call("vkGetEventStatus", [device.handle, 5n], own), 3);
  });
});

Deno.test("an exported command of an extension that is not enabled succeeds and touches nothing", NEEDS_DRIVER, () => {
  asking(({ native, device }) => {
    const out = arena().address(arena().alloc(8));
    poke64(out, 5n);
    assertEquals(native.call("vkCreateSwapchainKHR", [device.handle, out, 0n, out]), 0);
    assertEquals(peek64(out), 5n);
  });
});

Deno.test("a loader of the other platform can be installed afterwards, with its own rules", NEEDS_DRIVER, () => {
  for (const platform of ["android", "linux", "android"] as const) {
    asking(({ native, instance }) => {
      assertEquals(native.ofInstance(instance.handle, "vkCreateInstance") === 0n, platform === "android");
      assertEquals(native.find("vkCreateXcbSurfaceKHR") === 0n, platform === "android");
    }, { platform });
  }
});
