import type { SyncState } from "../state_tracker/sync_state.ts";
import type { Fields, RecordedCall, RecordedLine } from "../record/line.ts";
import {
  VK_ACCESS_HOST_WRITE_BIT,
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_ACCESS_TRANSFER_READ_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
  VK_IMAGE_LAYOUT_UNDEFINED,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_QUEUE_FAMILY_IGNORED,
  VK_SHARING_MODE_EXCLUSIVE,
} from "../../../loader/gen/enums_core_gen.js";
import { aspectsOf } from "../../../loader/texels/format.ts";
import { ASPECT_BITS, type ComparedPiece, formatOfPiece, layerSize } from "../compare/contents/piece.ts";

/** Contents that were saved: of a buffer, or of an aspect of a level of an image. */
export interface Saved {
  /** The piece that the contents belong to. */
  readonly piece: ComparedPiece;
  /** The bytes; `undefined` where only the layouts can be given. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** The VkImageLayout of each layer of the piece. */
  readonly layouts: readonly number[];
}

/** The device and the queue that get the contents. */
export interface Target {
  /** The device. */
  readonly device: string;
  /** A queue of the device that can copy all contents, and its family. */
  readonly queue: string;
  readonly family: number;
  /** The properties of the recorded memory types. */
  readonly memoryTypes: readonly number[];
}

/** Numbers of objects that no recorded program makes. */
const OWN_NUMBER = 2_000_000;
const VISIBLE = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
const ANY_ACCESS = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
const ALL = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

/** Returns the lines that copy contents into new buffers and images of a device, by a buffer that is gone afterwards. */
export function restoringLines(target: Target, saved: readonly Saved[], number: number): RecordedLine[] {
  if (saved.length === 0) return [];
  const { device, queue, family: queueFamilyIndex } = target, own = namesOf(number), { buffer, memory } = own;
  const { slots, size } = slotsOf(saved.map(({ piece, bytes }) => ({ piece, size: bytes?.length ?? 0 }))),
    { pool: commandPool, commands: commandBuffer } = own;
  const pAllocateInfo = { commandPool, level: VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount: 1 };
  const all: RecordedCall[] = [
    ...(size === 0 ? [] : allocating(target, own, size)),
    {
      command: "vkCreateCommandPool",
      args: { device, pCreateInfo: { queueFamilyIndex } },
      out: { pCommandPool: commandPool },
    },
    { command: "vkAllocateCommandBuffers", args: { device, pAllocateInfo }, out: { pCommandBuffers: [commandBuffer] } },
    { command: "vkBeginCommandBuffer", args: { commandBuffer, pBeginInfo: { flags: 0 } } },
    ...(size === 0 ? [] : [afterHost(commandBuffer)]),
    ...saved.flatMap((each, index) => putting(commandBuffer, buffer, each, slots[index])),
    { command: "vkEndCommandBuffer", args: { commandBuffer } },
    { command: "vkQueueSubmit", args: { queue, pSubmits: [{ pCommandBuffers: [commandBuffer] }] } },
    { command: "vkQueueWaitIdle", args: { queue } },
    { command: "vkDestroyCommandPool", args: { device, commandPool } },
  ];
  const writes = saved.flatMap(({ bytes }, index): RecordedLine[] =>
    bytes ? [{ write: memory, offset: slots[index], content: bytes }] : []
  );
  const freeing: RecordedCall[] = size === 0 ? [] : [
    { command: "vkDestroyBuffer", args: { device, buffer } },
    { command: "vkFreeMemory", args: { device, memory } },
  ];
  const begin = size === 0 ? 0 : ALLOCATIONS;
  return [...all.slice(0, begin), ...writes, ...all.slice(begin), ...freeing];
}

function namesOf(number: number) {
  const name = (type: string) => `${type}#${OWN_NUMBER + number}`;
  return {
    buffer: name("VkBuffer"),
    memory: name("VkDeviceMemory"),
    pool: name("VkCommandPool"),
    commands: name("VkCommandBuffer"),
  };
}

/** The places of contents in the buffer: at multiples of four, and of the size of their texels. */
export function slotsOf(
  pieces: readonly { readonly piece: ComparedPiece; readonly size: number }[],
): { slots: number[]; size: number } {
  let size = 0;
  const slots = pieces.map(({ piece, size: bytes }) => {
    const unit = 4 * (formatOfPiece(piece)?.blockSize ?? 1), at = Math.ceil(size / unit) * unit;
    size = at + bytes;
    return at;
  });
  return { slots, size };
}

/** Calls before the first write. */
const ALLOCATIONS = 4;

function allocating({ device, memoryTypes }: Target, { buffer, memory }: Fields, size: number): RecordedCall[] {
  const memoryTypeIndex = memoryTypes.findIndex((flags) => (flags & VISIBLE) === VISIBLE);
  if (memoryTypeIndex < 0) {
    throw new TypeError("no line of the recording tells of a memory type that the host sees; ask for the memory types");
  }
  const pNext = [{ sType: "VkMemoryDedicatedAllocateInfo", buffer }];
  const usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT, sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  return [
    {
      command: "vkCreateBuffer",
      args: { device, pCreateInfo: { size, usage, sharingMode } },
      out: { pBuffer: buffer },
    },
    {
      command: "vkAllocateMemory",
      args: { device, pAllocateInfo: { allocationSize: size, memoryTypeIndex, pNext } },
      out: { pMemory: memory },
    },
    { command: "vkBindBufferMemory", args: { device, buffer, memory, memoryOffset: 0 } },
    { command: "vkMapMemory", args: { device, memory, offset: 0, size: `${2n ** 64n - 1n}`, flags: 0 } },
  ];
}

function afterHost(commandBuffer: string): RecordedCall {
  return barrier(commandBuffer, VK_PIPELINE_STAGE_HOST_BIT, {
    pMemoryBarriers: [{ srcAccessMask: VK_ACCESS_HOST_WRITE_BIT, dstAccessMask: VK_ACCESS_TRANSFER_READ_BIT }],
  });
}

function barrier(commandBuffer: string, srcStageMask: number, barriers: Fields): RecordedCall {
  return {
    command: "vkCmdPipelineBarrier",
    args: {
      commandBuffer,
      srcStageMask,
      dstStageMask: ALL,
      dependencyFlags: 0,
      pMemoryBarriers: [],
      pBufferMemoryBarriers: [],
      pImageMemoryBarriers: [],
      ...barriers,
    },
  };
}

/** Copies contents to their place, in the layouts that they had. */
function putting(
  commandBuffer: string,
  srcBuffer: string,
  { piece, bytes, layouts }: Saved,
  at: number,
): RecordedCall[] {
  const { resource, image } = piece;
  if (!image) {
    const pRegions = [{ srcOffset: at, dstOffset: 0, size: bytes!.length }];
    return [{ command: "vkCmdCopyBuffer", args: { commandBuffer, srcBuffer, dstBuffer: resource, pRegions } }];
  }
  const { level: mipLevel, layers, width, height, depth, aspect } = image, layer = bytes ? layerSize(piece) : 0;
  return layers.flatMap((baseArrayLayer, index): RecordedCall[] => {
    const turn = (oldLayout: number, newLayout: number) =>
      turning(commandBuffer, piece, baseArrayLayer, oldLayout, newLayout);
    // The other aspect may have its contents already.
    const isFirst = aspectsOf(image.format)[0] === aspect,
      before = isFirst ? VK_IMAGE_LAYOUT_UNDEFINED : layouts[index];
    if (!bytes) return isFirst ? [turn(before, layouts[index])] : [];
    const pRegions = [{
      bufferOffset: at + index * layer,
      bufferRowLength: 0,
      bufferImageHeight: 0,
      imageSubresource: { aspectMask: ASPECT_BITS[aspect], mipLevel, baseArrayLayer, layerCount: 1 },
      imageOffset: { x: 0, y: 0, z: 0 },
      imageExtent: { width, height, depth },
    }];
    const dstImageLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
      args = { commandBuffer, srcBuffer, dstImage: resource };
    return [
      turn(before, dstImageLayout),
      { command: "vkCmdCopyBufferToImage", args: { ...args, dstImageLayout, pRegions } },
      turn(dstImageLayout, layouts[index]),
    ];
  });
}

function turning(commandBuffer: string, { resource, image }: ComparedPiece, layer: number, from: number, to: number) {
  const aspectMask = aspectsOf(image!.format).reduce((bits, each) => bits | ASPECT_BITS[each], 0);
  return barrier(commandBuffer, ALL, {
    pImageMemoryBarriers: [{
      srcAccessMask: ANY_ACCESS,
      dstAccessMask: ANY_ACCESS,
      oldLayout: from,
      newLayout: to,
      srcQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
      dstQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
      image: resource,
      subresourceRange: { aspectMask, baseMipLevel: image!.level, levelCount: 1, baseArrayLayer: layer, layerCount: 1 },
    }],
  });
}

/**
 * Returns the calls that bring new fences, events and semaphores of a device into their recorded state; `queue` signals
 * what only a queue can.
 */
export function signalLines(device: string, queue: string, sync: SyncState): RecordedCall[] {
  const changed = sync.changed(device).map((each): RecordedCall => {
    const { name } = each, pSubmits: Fields[] = [];
    if ("value" in each) {
      return {
        command: "vkSignalSemaphore",
        args: { device, pSignalInfo: { semaphore: name, value: `${each.value}` } },
      };
    }
    if (!each.isSet) return { command: "vkResetFences", args: { device, pFences: [name] } }; // no other is set at first
    if (name.startsWith("VkEvent#")) return { command: "vkSetEvent", args: { device, event: name } };
    if (name.startsWith("VkFence#")) return { command: "vkQueueSubmit", args: { queue, pSubmits, fence: name } };
    return { command: "vkQueueSubmit", args: { queue, pSubmits: [{ pSignalSemaphores: [name] }] } };
  });
  return [...changed, { command: "vkQueueWaitIdle", args: { queue } }];
}
