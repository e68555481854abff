import { assertEquals, assertThrows } from "@std/assert";
import { invokeAddress } from "../../../ffi/machine.ts";
import { procOf } from "../../../ffi/library/library.ts";
import { defineDriver } from "../../../loader/drivers.ts";
import { loadVulkan, VulkanError } from "../../../loader/mod.ts";
import type { VkPrivateDataSlot } from "../../../loader/types.ts";
import { openDevice } from "../../support/device.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const SLOT = 1n as VkPrivateDataSlot;

Deno.test("a driver in TypeScript has an extension's device commands only where it is enabled", () => {
  using driver = defineDriver({ name: "swaps", physicalDevices: [{ extensions: ["VK_KHR_swapchain"] }] });
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const has = (...ppEnabledExtensionNames: string[]) => {
    using device = gpu.vkCreateDevice({ ...QUEUE, ppEnabledExtensionNames });
    return ["vkCreateSwapchainKHR", "vkCreateFence", "vkSetDebugUtilsObjectNameEXT", "vkCreateInstance"]
      .map((name) => device.vkGetDeviceProcAddr(name) !== 0n);
  };
  assertEquals(has(), [false, true, false, false]);
  assertEquals(has("VK_KHR_swapchain"), [true, true, false, false]);
});

Deno.test("a driver in TypeScript lacks what it is told to, and has what its author wrote", () => {
  using driver = defineDriver({
    name: "odd",
    missing: ["vkCreateFence", "vkGetPhysicalDeviceFeatures2"],
    commands: { vkSetPrivateData: () => -1 },
    unknownCommands: {
      vkSumTEST: { signature: "w:qw", physicalDevice: true, run: (_gpu, value: number) => value + 1 },
      vkDeviceTEST: { signature: "w:q", run: () => 5 },
    },
  });
  using open = openDevice({ driver });
  assertEquals(open.instance.vkGetInstanceProcAddr("vkCreateFence"), 0n);
  assertEquals(open.device.vkGetDeviceProcAddr("vkCreateFence"), 0n);
  assertThrows(() => open.gpu.vkGetPhysicalDeviceFeatures2([]), TypeError, "not available");
  assertEquals(assertThrows(() => open.device.vkSetPrivateData(1, 1n, SLOT, 0n), VulkanError).code, -1);
  const sum = open.instance.vkGetInstanceProcAddr("vkSumTEST");
  assertEquals(invokeAddress(sum, "w:qw", [open.gpu.handle, 4]), 5);
  assertEquals(open.device.vkGetDeviceProcAddr("vkSumTEST"), 0n);
  const device = open.device.vkGetDeviceProcAddr("vkDeviceTEST");
  assertEquals([invokeAddress(device, "w:q", [open.device.handle]), driver.calls.at(-1)], [5, "vkDeviceTEST"]);
});

Deno.test("a 1.0 driver in TypeScript has the queries that end in 2KHR with their extension alone", () => {
  const extension = "VK_KHR_get_physical_device_properties2",
    queries = ["Features2", "Properties2", "MemoryProperties2"];
  for (const [instanceExtensions, has] of [[[extension], true], [[], false]] as const) {
    using driver = defineDriver({ name: "1.0", apiVersion: null, instanceExtensions });
    using vulkan = loadVulkan({ driver });
    using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: instanceExtensions });
    const [gpu] = instance.vkEnumeratePhysicalDevices();
    for (const query of queries) {
      const name = `vkGetPhysicalDevice${query}`;
      assertEquals(instance.vkGetInstanceProcAddr(name), 0n);
      assertEquals(instance.vkGetInstanceProcAddr(`${name}KHR`) !== 0n, has);
    }
    if (has) assertEquals(gpu.vkGetPhysicalDeviceProperties2KHR([]).properties.deviceName, "Scripted device");
  }
});

Deno.test("vk_icdGetPhysicalDeviceProcAddr has the commands of physical devices and no others", () => {
  using driver = defineDriver({
    name: "physical",
    instanceExtensions: ["VK_KHR_surface"],
    unknownCommands: {
      vkGpuTEST: { signature: "s:q", physicalDevice: true, run: () => 0 },
      vkDeviceTEST: { signature: "s:q", run: () => 0 },
    },
  });
  const find = (address: bigint, name: string) => procOf(address, 0n, name);
  const lookup = find(driver.getInstanceProcAddr, "vk_icdGetPhysicalDeviceProcAddr");
  const has = (name: string) => find(lookup, name) !== 0n;
  const those = [
    "vkGetPhysicalDeviceProperties",
    "vkGetPhysicalDeviceSurfaceSupportKHR",
    "vkCreateDevice",
    "vkGpuTEST",
  ];
  const others = ["vkCreateInstance", "vkDestroyInstance", "vkQueueSubmit", "vkDeviceTEST", "vkNobodyHas"];
  assertEquals([those.map(has), others.map(has)], [those.map(() => true), others.map(() => false)]);
});
