import { assertEquals, assertThrows } from "@std/assert";
import { defineDriver } from "../../../loader/drivers.ts";
import { loadVulkan, VulkanError } from "../../../loader/mod.ts";
import { countingAllocator } from "../../support/allocator.ts";
import { openDevice } from "../../support/device.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };

Deno.test("a driver in TypeScript keeps count of its objects and calls", () => {
  using driver = defineDriver({ name: "counted" });
  const counts = (...types: string[]) => types.map((type) => driver.live(type));
  {
    using open = openDevice({ driver });
    const { device } = open, pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
    const buffers = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 3 });
    device.vkFreeCommandBuffers(pool, buffers.slice(1));
    assertEquals(device.vkGetDeviceQueue(0, 0).handle, device.vkGetDeviceQueue(0, 0).handle);
    assertEquals(counts("VkInstance", "VkPhysicalDevice", "VkDevice", "VkQueue"), [1, 1, 1, 1]);
    assertEquals(counts("VkCommandPool", "VkCommandBuffer"), [1, 1]);
    device.vkDestroyCommandPool(pool);
    assertEquals(counts("VkCommandPool", "VkCommandBuffer"), [0, 0]);
    device.vkCreateFence({});
    driver.calls.length = 0;
    device.vkDeviceWaitIdle();
    assertEquals(driver.calls, ["vkDeviceWaitIdle"]);
  }
  assertEquals(driver.calls, ["vkDeviceWaitIdle", "vkDestroyDevice", "vkDestroyInstance"]);
  assertEquals(counts("VkInstance", "VkPhysicalDevice", "VkDevice", "VkQueue", "VkFence"), [0, 0, 0, 0, 1]);
});

Deno.test("a driver in TypeScript allocates through the application's callbacks when it is told to", () => {
  using driver = defineDriver({ name: "allocates", allocates: true });
  using allocator = countingAllocator();
  using vulkan = loadVulkan({ driver });
  const instance = vulkan.vkCreateInstance({}, allocator.callbacks), [gpu] = instance.vkEnumeratePhysicalDevices();
  const device = gpu.vkCreateDevice(QUEUE, allocator.callbacks);
  assertEquals([allocator.live, allocator.calls], [4, 4]); // the driver's and the loader's own
  const fence = device.vkCreateFence({}, allocator.callbacks);
  allocator.failAt = allocator.calls;
  assertEquals(assertThrows(() => device.vkCreateFence({}, allocator.callbacks), VulkanError).code, -1);
  assertEquals([allocator.live, driver.live("VkFence")], [5, 1]);
  device.vkDestroyFence(fence, allocator.callbacks);
  device.vkDestroyDevice(allocator.callbacks);
  instance.vkDestroyInstance(allocator.callbacks);
  assertEquals(allocator.live, 0);
});
