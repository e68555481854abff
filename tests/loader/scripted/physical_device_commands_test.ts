import { assertEquals } from "@std/assert";
import { defineDriver } from "../../../loader/drivers.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import {
  VK_MAKE_API_VERSION,
  VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
} from "../../../loader/vk.ts";

Deno.test("a driver in TypeScript says of its devices what it was told, and nothing else", () => {
  using driver = defineDriver({
    name: "two cards",
    instanceExtensions: ["VK_KHR_surface", { extensionName: "VK_EXT_debug_utils", specVersion: 1 }],
    physicalDevices: [{
      properties: { deviceName: "Card A", deviceType: VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, vendorID: 0x10de },
      features: { geometryShader: true },
      memoryProperties: { memoryTypes: [{ propertyFlags: 1, heapIndex: 0 }], memoryHeaps: [{ size: 64n, flags: 1 }] },
      queueFamilies: [{ queueFlags: 2, queueCount: 3 }, { queueFlags: 4, queueCount: 1 }],
      extensions: ["VK_KHR_swapchain"],
    }, {}],
  });
  using vulkan = loadVulkan({ driver });
  assertEquals(vulkan.vkEnumerateInstanceVersion(), VK_MAKE_API_VERSION(0, 1, 3, 0));
  assertEquals(vulkan.vkEnumerateInstanceExtensionProperties(null), [
    { extensionName: "VK_KHR_surface", specVersion: 25 },
    { extensionName: "VK_EXT_debug_utils", specVersion: 1 },
  ]);
  using instance = vulkan.vkCreateInstance({});
  const [a, b, ...rest] = instance.vkEnumeratePhysicalDevices();
  assertEquals(rest, []);
  const { deviceName, deviceType, vendorID, deviceID, limits } = a.vkGetPhysicalDeviceProperties();
  assertEquals([deviceName, deviceType, vendorID, deviceID], ["Card A", 2, 0x10de, 0]);
  assertEquals([limits.maxImageDimension2D, limits.maxClipDistances], [4096, 0]);
  assertEquals(a.vkGetPhysicalDeviceFeatures().geometryShader, true);
  assertEquals(a.vkGetPhysicalDeviceFeatures().wideLines, false);
  assertEquals(a.vkGetPhysicalDeviceMemoryProperties().memoryHeaps[0], { size: 64n, flags: 1 });
  assertEquals(a.vkGetPhysicalDeviceQueueFamilyProperties().map((family) => family.queueCount), [3, 1]);
  assertEquals(a.vkEnumerateDeviceExtensionProperties(null), [{ extensionName: "VK_KHR_swapchain", specVersion: 70 }]);
  assertEquals(b.vkGetPhysicalDeviceProperties().deviceName, "Scripted device");
  assertEquals(b.vkEnumerateDeviceExtensionProperties(null), []);
  assertEquals(b.vkGetPhysicalDeviceMemoryProperties().memoryTypes.length, 1);
});

Deno.test("a driver in TypeScript fills the chains of queries that end in 2 with what it has", () => {
  const deviceUUID = Array.from({ length: 16 }, (_, index) => index);
  using driver = defineDriver({
    name: "chains",
    physicalDevices: [{
      features: { wideLines: true },
      chain: [
        { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, deviceUUID },
        { sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, timelineSemaphore: true },
      ],
    }],
  });
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  const { pNext: [unknown, id] } = gpu.vkGetPhysicalDeviceProperties2([
    1000094000,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  ]);
  assertEquals([id.deviceUUID, unknown.subgroupSize], [deviceUUID, 0]);
  const { features, pNext: [twelve] } = gpu.vkGetPhysicalDeviceFeatures2([
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  ]);
  assertEquals([features.wideLines, twelve.timelineSemaphore, twelve.imagelessFramebuffer], [true, true, false]);
  assertEquals(gpu.vkGetPhysicalDeviceQueueFamilyProperties2().length, 1);
  assertEquals(gpu.vkGetPhysicalDeviceMemoryProperties2([]).memoryProperties.memoryHeaps[0].size, 1n << 28n);
});
