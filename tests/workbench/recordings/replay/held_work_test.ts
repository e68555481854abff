import { assertEquals } from "@std/assert";
import { apiRecording, replayRecording } from "../../../../workbench/layers.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import type { VkDevice, VkPhysicalDevice } from "../../../../loader/vk.ts";
import {
  VK_API_VERSION_1_2,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_EVENT_SET,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
  VK_SEMAPHORE_TYPE_TIMELINE,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
  VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
  VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
  VK_WHOLE_SIZE,
} from "../../../../loader/vk.ts";
import { lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { lateTimelines } from "../../../support/late_timelines.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";

const LARGE = 64n << 20n, SMALL = 4096n;

function openDevice(gpu: VkPhysicalDevice): VkDevice {
  return gpu.vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
    pNext: [{ sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, timelineSemaphore: true }],
  });
}

function makeBuffer(device: VkDevice, size: bigint, usage: number) {
  const buffer = device.vkCreateBuffer({ size, usage });
  const memory = device.vkAllocateMemory({ allocationSize: size, memoryTypeIndex: 0 });
  device.vkBindBufferMemory(buffer, memory, 0n);
  return { buffer, memory };
}

function beginCommands(device: VkDevice) {
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex: 0 });
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, level: 0, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({});
  return commands;
}

/** Has a device work for a while, asks until an event says that it is done, and destroys the device. */
function useSlowDevice(gpu: VkPhysicalDevice): void {
  using device = openDevice(gpu);
  const { buffer } = makeBuffer(device, LARGE, VK_BUFFER_USAGE_TRANSFER_DST_BIT), event = device.vkCreateEvent({});
  const commands = beginCommands(device), queue = device.vkGetDeviceQueue(0, 0);
  for (let value = 0; value < 8; value++) commands.vkCmdFillBuffer(buffer, 0n, VK_WHOLE_SIZE, value);
  commands.vkCmdSetEvent(event, VK_PIPELINE_STAGE_TRANSFER_BIT);
  commands.vkEndCommandBuffer();
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }]);
  while (device.vkGetEventStatus(event) !== VK_EVENT_SET);
  queue.vkQueueWaitIdle();
}

/** Gives a device work that copies a word when the host says so. Returns what lets it begin, and gives the word. */
function heldCopy(device: VkDevice): (word: number) => number {
  const from = makeBuffer(device, SMALL, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const to = makeBuffer(device, SMALL, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const [upload, result] = [from, to].map(({ memory }) => {
    const at = Deno.UnsafePointer.create(device.vkMapMemory(memory, 0n, VK_WHOLE_SIZE))!;
    return new Uint32Array(Deno.UnsafePointerView.getArrayBuffer(at, Number(SMALL)));
  });
  upload[0] = 1;
  const commands = beginCommands(device), queue = device.vkGetDeviceQueue(0, 0);
  commands.vkCmdCopyBuffer(from.buffer, to.buffer, [{ size: SMALL }]);
  commands.vkEndCommandBuffer();
  const type = { semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE, initialValue: 0n };
  const semaphore = device.vkCreateSemaphore({
    pNext: [{ sType: VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, ...type }],
  });
  queue.vkQueueSubmit([{
    pCommandBuffers: [commands],
    pWaitSemaphores: [semaphore],
    pWaitDstStageMask: [VK_PIPELINE_STAGE_TRANSFER_BIT],
    pNext: [{ sType: VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, pWaitSemaphoreValues: [1n] }],
  }]);
  return (word) => {
    upload[0] = word;
    device.vkSignalSemaphore({ semaphore, value: 1n });
    queue.vkQueueWaitIdle();
    return result[0];
  };
}

for (const [name, driver] of [["lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]]) {
  Deno.test(
    `replayRecording() gives a device no work early because another device is slow and then destroyed, on ${name}`,
    needs(name!, driver),
    () => {
      withFolder((folder) => {
        const path = `${folder}/held.jsonl`;
        using recording = apiRecording({ path });
        {
          using vulkan = loadVulkan({ driver: driver!, layers: [recording.layer] });
          using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_2 } });
          const [gpu] = instance.vkEnumeratePhysicalDevices();
          gpu.vkGetPhysicalDeviceMemoryProperties();
          gpu.vkGetPhysicalDeviceQueueFamilyProperties();
          using device = openDevice(gpu);
          const release = heldCopy(device);
          useSlowDevice(gpu);
          assertEquals(release(5), 5);
        }
        recording.close();
        assertEquals(recording.gaps, []);
        const words: number[] = [];
        replayRecording({ driver: driver! }, path, {
          onRead: ({ replayed }) => words.push(new Uint32Array(replayed!.slice().buffer)[0]),
        });
        assertEquals(words, [5]);
      });
    },
  );
}

for (const [name, driver] of [["lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]]) {
  Deno.test(`replayRecording() destroys a timeline when its value is reached, on ${name}`, needs(name!, driver), () => {
    withFolder((folder) => {
      const path = `${folder}/timeline.jsonl`;
      using recording = apiRecording({ path });
      {
        using vulkan = loadVulkan({ driver: driver!, layers: [recording.layer] });
        using instance = vulkan.vkCreateInstance({ pApplicationInfo: { apiVersion: VK_API_VERSION_1_2 } });
        using device = openDevice(instance.vkEnumeratePhysicalDevices()[0]);
        signalTimeline(device);
      }
      recording.close();
      const { layer, early } = lateTimelines();
      replayRecording({ driver: driver!, layers: [layer] }, path);
      assertEquals(early, []);
    });
  });
}

/** A queue says that a submission has ended, which signals a timeline. */
function signalTimeline(device: VkDevice): void {
  const type = { semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE, initialValue: 0n }, queue = device.vkGetDeviceQueue(0, 0);
  const semaphore = device.vkCreateSemaphore({
    pNext: [{ sType: VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, ...type }],
  });
  queue.vkQueueSubmit([{
    pSignalSemaphores: [semaphore],
    pNext: [{ sType: VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, pSignalSemaphoreValues: [3n] }],
  }]);
  queue.vkQueueWaitIdle();
  device.vkDestroySemaphore(semaphore);
}
