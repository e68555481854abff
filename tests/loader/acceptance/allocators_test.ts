import { assert, assertEquals } from "@std/assert";
import { openBlocks } from "../../../ffi/block.ts";
import { defineDriver } from "../../../loader/drivers.ts";
import { loadVulkan, type Vulkan, VulkanError } from "../../../loader/mod.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { type CountingAllocator, countingAllocator } from "../../support/allocator.ts";
import { needs } from "../../support/require.ts";
import { CHAINS } from "./create_info.ts";

const QUEUE = { pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] };
const lavapipe = lavapipePath()!;
const VK_ERROR_OUT_OF_HOST_MEMORY = -1, VK_ERROR_INITIALIZATION_FAILED = -3;

/** Makes and destroys an instance, a device and a few objects, all through the allocator. */
function useAllocator(vulkan: Vulkan, { callbacks }: CountingAllocator): void {
  const instance = vulkan.vkCreateInstance({}, callbacks);
  try {
    const [gpu] = instance.vkEnumeratePhysicalDevices(), device = gpu.vkCreateDevice(QUEUE, callbacks);
    try {
      device.vkDestroyFence(device.vkCreateFence({}, callbacks), callbacks);
      device.vkDestroyBuffer(device.vkCreateBuffer({ size: 64n, usage: 2 }, callbacks), callbacks);
    } finally {
      device.vkDestroyDevice(callbacks);
    }
  } finally {
    instance.vkDestroyInstance(callbacks);
  }
}

/** Whether all goes well with an allocator that fails at the `call`-th allocation. Fails the test when anything leaks. */
function succeeds(vulkan: Vulkan, call: number): boolean {
  using allocator = countingAllocator();
  allocator.failAt = call;
  const blocks = openBlocks();
  try {
    useAllocator(vulkan, allocator);
    return true;
  } catch (error) {
    if (!(error instanceof VulkanError)) throw error;
    assert([VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_INITIALIZATION_FAILED].includes(error.code), error.message);
    return false;
  } finally {
    assertEquals([allocator.live, openBlocks()], [0, blocks], `failing at ${call}`);
  }
}

/** Lets the allocation fail at each call in turn until there are no more of them; returns how many there are. */
function failEverywhere(vulkan: Vulkan): number {
  using warm = countingAllocator();
  useAllocator(vulkan, warm); // makes what is kept for the life of the process
  let call = 0;
  while (!succeeds(vulkan, call)) call++;
  return call;
}

for (const { name, layers, ignore } of CHAINS) {
  Deno.test(
    `acceptance 94: allocations are freed, wherever one fails, on a driver in TypeScript (${name})`,
    { ignore },
    () => {
      using driver = defineDriver({ name: "allocates", allocates: true });
      using vulkan = loadVulkan({ driver, layers });
      const types = ["VkInstance", "VkDevice", "VkFence", "VkBuffer"];
      const ofLoader = ["VkInstance", "VkDevice"]; // what the loader itself keeps with an instance and a device
      assertEquals(failEverywhere(vulkan), types.length + ofLoader.length);
      assertEquals(types.map((type) => driver.live(type)), [0, 0, 0, 0]);
    },
  );
}

Deno.test(
  "acceptance 94: allocations are freed, wherever one fails, on lavapipe",
  needs("Mesa lavapipe", lavapipe),
  () => {
    using vulkan = loadVulkan({ driver: lavapipe });
    assert(failEverywhere(vulkan) > 4);
  },
);
