/**
 * Fills a buffer on a driver below random chains of layers that misbehave:
 * `program.ts DRIVER SEED CHAINS [NATIVE_LAYER] [DIARY]`. Prints how many chains there
 * were, how many let the buffer be filled, and how many errors there were.
 *
 * @module
 */
import fc from "fast-check";
import { type Layer, loadVulkan } from "../../../../loader/mod.ts";
import type { VkDevice, VkPhysicalDevice } from "../../../../loader/types.ts";
import { misbehaving, type Misdeed, misdeeds, type Reachable } from "./misbehaviour.ts";

const [driver, seed, count, native, diary] = Deno.args;
const SIZE = 256n, VALUE = 0x1234_5678;
const found = { chains: 0, filled: 0, errors: 0 };

for (
  const [number, chain] of fc.sample(fc.array(misdeeds, { minLength: 1, maxLength: 4 }), {
    seed: Number(seed),
    numRuns: Number(count),
  }).entries()
) {
  if (diary) Deno.writeTextFileSync(diary, JSON.stringify(chain));
  run(chain, native && number % 5 === 0 ? native : undefined);
}
console.log(JSON.stringify(found));

function run(chain: Misdeed[][], native: string | undefined): void {
  const reachable: Reachable = {};
  const layers: (Layer | string)[] = chain.map((deeds, index) =>
    misbehaving(`VK_LAYER_TEST_${index}`, deeds, reachable)
  );
  if (native) layers.splice(chain.length >> 1, 0, native);
  found.chains++;
  const vulkan = loadVulkan({ driver, layers });
  attempt(() => {
    const instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: 0x403000 } });
    attempt(() => fill(instance.vkEnumeratePhysicalDevices()[0], reachable));
    attempt(() => instance.close());
  });
  attempt(() => vulkan.close());
}

function attempt(step: () => void): void {
  try {
    step();
  } catch {
    found.errors++;
  }
}

function fill(gpu: VkPhysicalDevice, reachable: Reachable): void {
  const device = gpu.vkCreateDevice({ pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }] });
  const ends: (() => void)[] = [() => device.vkDestroyDevice()];
  reachable.device = device;
  try {
    useDevice(gpu, device, ends);
  } finally {
    attempt(() => device.vkDeviceWaitIdle()); // a submission may have gone through though it failed
    for (const end of ends.toReversed()) attempt(end);
    reachable.device = undefined;
  }
}

function useDevice(gpu: VkPhysicalDevice, device: VkDevice, ends: (() => void)[]): void {
  const queue = device.vkGetDeviceQueue(0, 0);
  const buffer = device.vkCreateBuffer({ size: SIZE, usage: 2 });
  ends.push(() => device.vkDestroyBuffer(buffer));
  const { size } = device.vkGetBufferMemoryRequirements(buffer);
  const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex: hostVisible(gpu) });
  ends.push(() => device.vkFreeMemory(memory));
  device.vkBindBufferMemory(buffer, memory, 0n);
  const pool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  ends.push(() => device.vkDestroyCommandPool(pool));
  const [commands] = device.vkAllocateCommandBuffers({ commandPool: pool, level: 0, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  commands.vkCmdFillBuffer(buffer, 0n, SIZE, VALUE);
  commands.vkEndCommandBuffer();
  const fence = device.vkCreateFence({});
  ends.push(() => device.vkDestroyFence(fence));
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
  device.vkWaitForFences([fence], true, 2_000_000_000n);
  const address = device.vkMapMemory(memory, 0n, SIZE);
  const view = new Deno.UnsafePointerView(Deno.UnsafePointer.create(address)!);
  if (view.getUint32(0) === VALUE && view.getUint32(252) === VALUE) found.filled++;
}

/** A memory type that can be mapped and needs no flushing. */
function hostVisible(gpu: VkPhysicalDevice): number {
  return gpu.vkGetPhysicalDeviceMemoryProperties().memoryTypes.findIndex(({ propertyFlags }) =>
    (propertyFlags & 6) === 6
  );
}
