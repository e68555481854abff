import type { Session } from "../../replay/session.ts";
import { type Copier, copyOut } from "../../replay/copy_out.ts";
import {
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_ASPECT_DEPTH_BIT,
  VK_IMAGE_ASPECT_STENCIL_BIT,
  VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_QUEUE_COMPUTE_BIT,
  VK_QUEUE_FAMILY_IGNORED,
} from "../../../../loader/gen/enums_core_gen.js";
import type {
  VkBuffer,
  VkCommandBuffer,
  VkImage,
  VkImageLayout,
  VkQueue,
} from "../../../../loader/gen/types_core_gen.ts";
import type { StateTracker } from "../../state_tracker/state_tracker.ts";
import { aspectsOf } from "../../../../loader/texels/format.ts";
import { type ComparedPiece, formatOfPiece, sizeOf } from "./piece.ts";
import { readSamples } from "./samples.ts";

const BITS = {
  color: VK_IMAGE_ASPECT_COLOR_BIT,
  depth: VK_IMAGE_ASPECT_DEPTH_BIT,
  stencil: VK_IMAGE_ASPECT_STENCIL_BIT,
};
/** Copies of each layer begin at multiples of four bytes, and of the size of a texel. */
const ALIGNMENT = 4;

/** The queue and the device that read pieces. */
export interface Place {
  readonly session: Session;
  readonly tracker: StateTracker;
  /** The queue's name. */
  readonly queue: string;
}

/** Returns the bytes of pieces after all earlier work of a queue, which must be at rest. Addresses in buffers are the recorded ones. */
export function readPieces(pieces: readonly ComparedPiece[], place: Place): Uint8Array<ArrayBuffer>[] {
  const copied = pieces.filter(({ image }) => !isSampled(image));
  const read = new Map(readCopied(copied, place).map((bytes, index) => [copied[index], bytes]));
  const { addresses } = place.session;
  return pieces.map((piece) => {
    const bytes = cleaned(read.get(piece) ?? samplesOf(piece, place), piece);
    return piece.image ? bytes : addresses.recorded(bytes);
  });
}

function isSampled(image: ComparedPiece["image"]): boolean {
  return image !== undefined && image.samples > 1;
}

/** Whether a queue can read a piece: several samples are read by a shader. */
export function isReadable({ image }: ComparedPiece, place: Place): boolean {
  if (!isSampled(image)) return true;
  const { gpu, family } = copierOf(place), { queueFlags } = gpu.vkGetPhysicalDeviceQueueFamilyProperties()[family];
  return (queueFlags & VK_QUEUE_COMPUTE_BIT) !== 0;
}

/** Copies pieces into one buffer. */
function readCopied(pieces: readonly ComparedPiece[], place: Place): Uint8Array<ArrayBuffer>[] {
  if (pieces.length === 0) return [];
  let total = 0;
  const slots = pieces.map((piece): Slot => {
    const unit = ALIGNMENT * (formatOfPiece(piece)?.blockSize ?? 1), parts = piece.image?.layers.length ?? 1;
    const size = sizeOf(piece, place.tracker) / parts, stride = Math.ceil(size / unit) * unit;
    const start = Math.ceil(total / unit) * unit;
    total = start + stride * parts;
    return { starts: Array.from({ length: parts }, (_, index) => start + index * stride), size };
  });
  const all = copyOut(copierOf(place), Math.max(total, 1), (commands, buffer) => {
    for (const [index, piece] of pieces.entries()) copy(commands, buffer, piece, slots[index], place);
  });
  return slots.map((slot) => joined(all, slot));
}

/** The places of a piece's layers in a buffer, or of a whole buffer. */
interface Slot {
  readonly starts: readonly number[];
  /** Bytes of each. */
  readonly size: number;
}

function joined(all: Uint8Array, { starts, size }: Slot): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(starts.length * size);
  for (const [index, start] of starts.entries()) bytes.set(all.subarray(start, start + size), index * size);
  return bytes;
}

function copierOf({ session, tracker, queue }: Place): Copier {
  const device: string = tracker.resources.call(queue)!.args.device;
  return session.copier(device, session.object(queue) as unknown as VkQueue);
}

function samplesOf(piece: ComparedPiece, place: Place): Uint8Array<ArrayBuffer> {
  const { session, tracker } = place, { level, aspect, format } = piece.image!;
  const image = session.handle("VkImage", piece.resource) as VkImage;
  return readSamples(copierOf(place), piece, {
    image,
    aspect: BITS[aspect],
    around(commands, layer, record) {
      const layout = here(tracker.layouts.of(piece.resource, level, layer)!), range = oneLayer(format, level, layer);
      turn(commands, image, range, [layout, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL]);
      record();
      turn(commands, image, range, [VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, layout]);
    },
  });
}

/** All aspects of one layer of a level. */
function oneLayer(format: number, baseMipLevel: number, baseArrayLayer: number) {
  const aspectMask = aspectsOf(format).reduce((bits, each) => bits | BITS[each], 0);
  return { aspectMask, baseMipLevel, levelCount: 1, baseArrayLayer, layerCount: 1 };
}

/** The eight bits beside 24 bits of depth have no meaning. */
function cleaned(bytes: Uint8Array<ArrayBuffer>, piece: ComparedPiece): Uint8Array<ArrayBuffer> {
  const format = formatOfPiece(piece);
  if (piece.image?.aspect === "depth" && format?.blockSize === 4 && format.components[0].bits === 24) {
    for (let at = 3; at < bytes.length; at += 4) bytes[at] = 0;
  }
  return bytes;
}

function copy(
  commands: VkCommandBuffer,
  to: VkBuffer,
  piece: ComparedPiece,
  { starts, size }: Slot,
  { session, tracker }: Place,
) {
  if (piece.image) return copyImage(commands, to, piece, starts, { session, tracker });
  const region = { srcOffset: 0n, dstOffset: BigInt(starts[0]), size: BigInt(size) };
  commands.vkCmdCopyBuffer(session.handle("VkBuffer", piece.resource) as VkBuffer, to, [region]);
}

function copyImage(
  commands: VkCommandBuffer,
  to: VkBuffer,
  piece: ComparedPiece,
  starts: readonly number[],
  { session, tracker }: Omit<Place, "queue">,
): void {
  const { level, aspect, format, layers, width, height, depth } = piece.image!;
  const image = session.handle("VkImage", piece.resource) as VkImage;
  for (const [index, layer] of layers.entries()) {
    const layout = here(tracker.layouts.of(piece.resource, level, layer)!);
    const range = oneLayer(format, level, layer);
    turn(commands, image, range, [layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL]);
    commands.vkCmdCopyImageToBuffer(image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to, [{
      bufferOffset: BigInt(starts[index]),
      imageSubresource: { aspectMask: BITS[aspect], mipLevel: level, baseArrayLayer: layer, layerCount: 1 },
      imageExtent: { width, height, depth },
    }]);
    turn(commands, image, range, [VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, layout]);
  }
}

/** Returns the image of a name. A replay has images in place of those of a window system. */
function here(layout: number): VkImageLayout {
  return (layout === VK_IMAGE_LAYOUT_PRESENT_SRC_KHR ? VK_IMAGE_LAYOUT_GENERAL : layout) as VkImageLayout;
}

/** Changes a layout, after everything before and before everything behind. */
function turn(
  commands: VkCommandBuffer,
  image: VkImage,
  subresourceRange: object,
  [oldLayout, newLayout]: readonly [VkImageLayout, VkImageLayout],
): void {
  const all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  commands.vkCmdPipelineBarrier(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, [], [], [{
    srcAccessMask: all,
    dstAccessMask: all,
    oldLayout,
    newLayout,
    srcQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    dstQueueFamilyIndex: VK_QUEUE_FAMILY_IGNORED,
    image,
    subresourceRange: subresourceRange as { aspectMask: number },
  }]);
}
