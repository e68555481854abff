import { bytesAt, inFrame } from "../../../ffi/arena.ts";
import { peek64, poke64 } from "../../../ffi/machine.ts";
import {
  VK_ACCESS_HOST_READ_BIT,
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_ACCESS_TRANSFER_READ_BIT,
  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
  VK_QUEUE_FAMILY_IGNORED,
  VK_SUCCESS,
} from "../../../loader/gen/enums_core_gen.js";
import { aspectsOf } from "../../../loader/texels/format.ts";
import { FencePool } from "../../timeline/vulkan/fence_pool.ts";
import { type Below, newObject } from "../../timeline/vulkan/gpu/below.ts";
import { ASPECT_BITS, type ComparedPiece, layerSize } from "../compare/contents/piece.ts";
import { slotsOf } from "../trim/restoring.ts";
import { barrier, freeHostBuffer, hostBuffer, type LiveDevice, structs } from "./live_device.ts";

/** A piece with its handle and its bytes, and the layouts of its layers. */
export interface LivePiece {
  readonly piece: ComparedPiece;
  readonly handle: bigint;
  readonly size: number;
  readonly layouts: readonly number[];
}

/** Bytes that are copied at a time. */
const PART = 1 << 26;

/**
 * Copies contents out of a device, on a queue of it, while the program's thread waits. Returns `undefined` if the
 * queue has not come to its end after so many nanoseconds, or the driver refuses.
 */
export function readBack(
  live: LiveDevice,
  queue: bigint,
  family: number,
  pieces: readonly LivePiece[],
  patience: bigint,
): Uint8Array<ArrayBuffer>[] | undefined {
  const read: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < pieces.length;) {
    const part: LivePiece[] = [];
    for (let size = 0; at < pieces.length && (part.length === 0 || size + pieces[at].size <= PART);) {
      size += pieces[at].size;
      part.push(pieces[at++]);
    }
    const bytes = readPart(live, queue, family, part, patience);
    if (!bytes) return undefined;
    read.push(...bytes);
  }
  return read;
}

function readPart(
  live: LiveDevice,
  queue: bigint,
  family: number,
  pieces: readonly LivePiece[],
  patience: bigint,
): Uint8Array<ArrayBuffer>[] | undefined {
  const { device, below } = live, { slots, size } = slotsOf(pieces), host = hostBuffer(live, Math.max(size, 4));
  if (!host) return undefined;
  const pool = newObject(
    "VkCommandPoolCreateInfo",
    { queueFamilyIndex: family },
    (info, out) => below.vkCreateCommandPool(device, info, 0n, out),
  );
  if (pool === undefined) {
    freeHostBuffer(live, host);
    return undefined;
  }
  const isDone = carriedOut(live, queue, pool, patience, (commands) => {
    const { buffer } = host;
    barrier(below, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, [{
      srcAccessMask: VK_ACCESS_MEMORY_WRITE_BIT,
      dstAccessMask: VK_ACCESS_TRANSFER_READ_BIT,
    }]);
    pieces.forEach((each, index) => copy(below, commands, buffer, each, slots[index]));
    barrier(below, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, [{
      srcAccessMask: VK_ACCESS_MEMORY_WRITE_BIT,
      dstAccessMask: VK_ACCESS_HOST_READ_BIT,
    }]);
  });
  if (!isDone) return undefined; // the device may still use what was made
  const read = pieces.map(({ size }, index) => bytesAt(host.address + BigInt(slots[index]), size));
  below.vkDestroyCommandPool(device, pool, 0n);
  freeHostBuffer(live, host);
  return read;
}

/** Records and submits commands, and waits for their end. */
function carriedOut(
  { device, below }: LiveDevice,
  queue: bigint,
  commandPool: bigint,
  patience: bigint,
  record: (commands: bigint) => void,
): boolean {
  const commands = newObject(
    "VkCommandBufferAllocateInfo",
    { commandPool, commandBufferCount: 1 },
    (info, out) => below.vkAllocateCommandBuffers(device, info, out),
  );
  if (commands === undefined) return false;
  poke64(commands, peek64(device)); // native layers leave the dispatch key to the loader, which is above
  const fences = new FencePool(device, below), fence = fences.take();
  if (fence === undefined) return false;
  inFrame((memory) => below.vkBeginCommandBuffer(commands, structs(memory, "VkCommandBufferBeginInfo", [{}])));
  record(commands);
  const isSubmitted = below.vkEndCommandBuffer(commands) === VK_SUCCESS &&
    inFrame((memory) =>
        below.vkQueueSubmit(queue, 1, structs(memory, "VkSubmitInfo", [{ pCommandBuffers: [commands] }]), fence)
      ) === VK_SUCCESS;
  if (!isSubmitted || !fences.wait(fence, patience)) return false;
  fences.destroy(fence);
  return true;
}

function copy(below: Below, commands: bigint, to: bigint, { piece, handle, size, layouts }: LivePiece, at: number) {
  const { image } = piece;
  if (!image) {
    return inFrame((memory) => {
      const region = structs(memory, "VkBufferCopy", [{ srcOffset: 0n, dstOffset: BigInt(at), size: BigInt(size) }]);
      below.vkCmdCopyBuffer(commands, handle, to, 1, region);
    });
  }
  const all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const aspectMask = aspectsOf(image.format).reduce((bits, each) => bits | ASPECT_BITS[each], 0);
  image.layers.forEach((baseArrayLayer, index) => {
    const turn = (oldLayout: number, newLayout: number) =>
      barrier(below, commands, stages, stages, [], [{
        srcAccessMask: all,
        dstAccessMask: all,
        oldLayout,
        newLayout,
        srcQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
        dstQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
        image: handle,
        subresourceRange: { aspectMask, baseMipLevel: image.level, levelCount: 1, baseArrayLayer, layerCount: 1 },
      }]);
    turn(layouts[index], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    inFrame((memory) => {
      const { width, height, depth } = image, aspect = ASPECT_BITS[image.aspect];
      const region = structs(memory, "VkBufferImageCopy", [{
        bufferOffset: BigInt(at + index * layerSize(piece)),
        imageSubresource: { aspectMask: aspect, mipLevel: image.level, baseArrayLayer, layerCount: 1 },
        imageExtent: { width, height, depth },
      }]);
      below.vkCmdCopyImageToBuffer(commands, handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to, 1, region);
    });
    turn(VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, layouts[index]);
  });
}
