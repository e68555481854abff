import { assertEquals } from "@std/assert";
import { type RecordedLine, replayRecording } from "../../../../workbench/layers.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import {
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
} from "../../../../loader/vk.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { hiddenMemory } from "./hidden_memory.ts";
import { END, SETUP } from "./large_recording.ts";

const SIZE = 100, device = "VkDevice#1", commandBuffer = "VkCommandBuffer#1", memoryOffset = "0";
const [seen, unseen, alone] = ["VkBuffer#1", "VkBuffer#2", "VkBuffer#3"], parts = [unseen, alone];
const call = (command: string, args: object, out?: object) => ({ command, args: { device, ...args }, out });
const command = (command: string, args: object) => ({ command, args: { commandBuffer, ...args } });

/** A program that copies buffers that nobody wrote, of which one has memory of its own, into one that the host can see. */
const LINES = [
  ...SETUP,
  ...[seen, unseen, alone].flatMap((buffer, index) => {
    const usage = index === 0 ? VK_BUFFER_USAGE_TRANSFER_DST_BIT : VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    const memory = `VkDeviceMemory#${index + 1}`, link = { sType: "VkMemoryDedicatedAllocateInfo", buffer };
    return [
      call("vkCreateBuffer", { pCreateInfo: { size: `${2 * SIZE}`, usage, sharingMode: 0 } }, { pBuffer: buffer }),
      call("vkAllocateMemory", {
        pAllocateInfo: {
          allocationSize: `${2 * SIZE}`,
          memoryTypeIndex: index === 0 ? 1 : 0,
          ...buffer === alone && { pNext: [link] },
        },
      }, { pMemory: memory }),
      call("vkBindBufferMemory", { buffer, memory, memoryOffset }),
    ];
  }),
  call("vkMapMemory", { memory: "VkDeviceMemory#1", offset: "0", size: "200", flags: 0 }, {}),
  call("vkCreateCommandPool", { pCreateInfo: { queueFamilyIndex: 0 } }, { pCommandPool: "VkCommandPool#1" }),
  call("vkAllocateCommandBuffers", {
    pAllocateInfo: { commandPool: "VkCommandPool#1", level: VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount: 1 },
  }, { pCommandBuffers: [commandBuffer] }),
  command("vkBeginCommandBuffer", { pBeginInfo: {} }),
  ...parts.map((srcBuffer, index) =>
    command("vkCmdCopyBuffer", {
      srcBuffer,
      dstBuffer: seen,
      pRegions: [{ srcOffset: `${SIZE}`, dstOffset: `${SIZE * index}`, size: `${SIZE}` }],
    })
  ),
  command("vkEndCommandBuffer", {}),
  { command: "vkQueueSubmit", args: { queue: "VkQueue#1", pSubmits: [{ pCommandBuffers: [commandBuffer] }] } },
  { command: "vkQueueWaitIdle", args: { queue: "VkQueue#1" } },
  ...END,
] as RecordedLine[];

Deno.test(
  "replayRecording() begins with zeros in memory that the host cannot see",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    using vulkan = loadVulkan({ driver: lavapipePath()!, layers: [hiddenMemory(0xcd)] });
    let found: Uint8Array | undefined;
    const lines = LINES.map((line) =>
      "command" in line && line.command === "vkGetPhysicalDeviceMemoryProperties"
        ? { ...line, out: { pMemoryProperties: { memoryTypes: [{ propertyFlags: 1 }, { propertyFlags: 7 }] } } }
        : line
    );
    replayRecording(vulkan, { lines, data: () => new Uint8Array() }, {
      onSubmit: ({ read }) => void (found = read(seen).slice()),
    });
    assertEquals(found, new Uint8Array(2 * SIZE));
  },
);
