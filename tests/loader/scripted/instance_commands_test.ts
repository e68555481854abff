import { assertEquals, assertThrows } from "@std/assert";
import { defineDriver } from "../../../loader/drivers.ts";
import { loadVulkan, VulkanError } from "../../../loader/mod.ts";
import { VK_API_VERSION_1_0, VK_API_VERSION_1_1 } from "../../../loader/vk.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

Deno.test("a driver in TypeScript refuses layers, extensions and versions it does not have", () => {
  using driver = defineDriver({ name: "small", apiVersion: null, instanceExtensions: ["VK_KHR_surface"] });
  using vulkan = loadVulkan({ driver });
  const refused = (make: () => unknown) => assertThrows(make, VulkanError).code;
  assertEquals(vulkan.vkEnumerateInstanceVersion(), VK_API_VERSION_1_0);
  assertEquals(refused(() => vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_NOBODY_has"] })), -7);
  assertEquals(refused(() => vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_1 } })), -9);
  using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface"] });
  const [gpu] = instance.vkEnumeratePhysicalDevices();
  assertEquals(refused(() => gpu.vkCreateDevice({ ...QUEUE, ppEnabledExtensionNames: ["VK_KHR_swapchain"] })), -7);
  assertThrows(() => gpu.vkGetPhysicalDeviceProperties2([]), TypeError, "not available");
  assertEquals(driver.live("VkDevice"), 0);
});

Deno.test("a driver in TypeScript may say it is of Vulkan 1.0 by a command or by having none", () => {
  for (const [apiVersion, calls] of [[VK_API_VERSION_1_0, 1], [null, 0]] as const) {
    using driver = defineDriver({ name: "1.0", apiVersion });
    using vulkan = loadVulkan({ driver });
    assertEquals(vulkan.vkEnumerateInstanceVersion(), VK_API_VERSION_1_0);
    assertEquals(driver.calls.filter((name) => name === "vkEnumerateInstanceVersion").length, calls);
  }
});

Deno.test("physical devices come and go while a driver in TypeScript runs; those that stay keep their handles", () => {
  using driver = defineDriver({ name: "hot plug", physicalDevices: [{ properties: { deviceName: "first" } }] });
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const handles = () => instance.vkEnumeratePhysicalDevices().map(({ handle }) => handle);
  const [first] = handles();
  driver.physicalDevices.push({ extensions: ["VK_KHR_swapchain"] });
  const [again, second] = handles();
  assertEquals([again, second !== first], [first, true]);
  const [, gpu] = instance.vkEnumeratePhysicalDevices();
  using device = gpu.vkCreateDevice({ ...QUEUE, ppEnabledExtensionNames: ["VK_KHR_swapchain"] });
  assertEquals(device.vkGetDeviceProcAddr("vkCreateSwapchainKHR") !== 0n, true);
  driver.physicalDevices.shift();
  assertEquals(handles(), [second]);
});

Deno.test("devices of a driver in TypeScript that name a group are one group", () => {
  using driver = defineDriver({ name: "groups", physicalDevices: [{ group: "pair" }, {}, { group: "pair" }] });
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const groups = instance.vkEnumeratePhysicalDeviceGroups();
  const handles = instance.vkEnumeratePhysicalDevices().map(({ handle }) => handle);
  assertEquals(groups.map((group) => group.physicalDevices.slice(0, group.physicalDeviceCount)), [
    [handles[0], handles[2]],
    [handles[1]],
  ]);
});
