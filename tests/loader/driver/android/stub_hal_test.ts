import { assert, assertEquals, assertThrows } from "@std/assert";
import { openBlocks } from "../../../../ffi/block.ts";
import { rethrowFault } from "../../../../ffi/error.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";
import type { VkInstance } from "../../../../loader/gen/types_core_gen.ts";
import { driverProc } from "../../../../loader/driver/interface/probe.ts";
import { openStubHal } from "../../../../loader/driver/android/stub_hal.ts";
import { loadVulkan, VulkanError } from "../../../../loader/mod.ts";
import { androidOptions } from "./root.ts";

const SIX = [
  "vkCreateInstance",
  "vkDestroyInstance",
  "vkEnumerateInstanceExtensionProperties",
  "vkEnumeratePhysicalDevices",
  "vkEnumeratePhysicalDeviceGroups",
  "vkGetInstanceProcAddr",
];

Deno.test("the stub HAL has an instance, no extensions but the loader's own, and no devices", () => {
  using vulkan = loadVulkan(androidOptions("/nowhere", {}));
  assertEquals(vulkan.driver, "stub HAL");
  const extensions = vulkan.vkEnumerateInstanceExtensionProperties(null);
  assertEquals(extensions.map(({ extensionName }) => extensionName), ["VK_EXT_debug_report"]);
  assertEquals(vulkan.vkEnumerateInstanceVersion(), 1 << 22 | 4 << 12);
  using instance = vulkan.vkCreateInstance({});
  assertEquals(instance.vkEnumeratePhysicalDevices(), []);
  assertEquals(instance.vkEnumeratePhysicalDeviceGroups(), []);
});

Deno.test("the stub HAL answers six names without an instance, and NULL for every other", () => {
  using driver = openStubHal();
  for (const name of SIX) assert(driverProc(driver, 0n, name) !== 0n, name);
  for (const name of ["vkEnumerateInstanceVersion", "vkCreateDevice", "vkGetPhysicalDeviceProperties", ""]) {
    assertEquals(driverProc(driver, 0n, name), 0n);
  }
});

Deno.test("the stub HAL gives a function for every name with an instance; to call it is an error", () => {
  using driver = openStubHal();
  const invalid = driverProc(driver, 16n, "vkCreateDevice");
  assertEquals(driverProc(driver, 16n, "vkNobodyKnowsEXT"), invalid);
  for (const name of SIX) assert(![0n, invalid].includes(driverProc(driver, 16n, name)), name);
  invokeAddress(invalid, "s:q", [0n]);
  assertThrows(() => rethrowFault(), Error, "no physical devices");
});

Deno.test("the stub HAL has room for 32 instances: the 33rd fails until one is gone", () => {
  using vulkan = loadVulkan(androidOptions("/nowhere", {}));
  const instances = Array.from({ length: 32 }, () => vulkan.vkCreateInstance({}));
  const full = assertThrows(() => vulkan.vkCreateInstance({}), VulkanError);
  assertEquals(full.code, -3);
  instances[7].close();
  const again: VkInstance = vulkan.vkCreateInstance({});
  assertEquals(again.vkEnumeratePhysicalDevices(), []);
});

Deno.test("the stub HAL leaves nothing behind", () => {
  const before = openBlocks();
  for (let round = 0; round < 40; round++) openStubHal().close();
  assertEquals(openBlocks(), before);
});
