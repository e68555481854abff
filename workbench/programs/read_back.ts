import { VK_IMAGE_ASPECT_STENCIL_BIT } from "../../loader/gen/enums_core_gen.js";
import { ACCESS, LAYOUT, STAGE } from "./bits.ts";
import { aspectsOf, type Format, hasDepth, sizeOf } from "./formats.ts";
import type { Model } from "./model.ts";
import type { FuzzBuffer, FuzzImage } from "./resources.ts";

/** A part of a program's results: where a "read" line has it, and what it is. */
export interface FuzzResult {
  /** The buffer that is read. */
  readonly buffer: string;
  /** Offset in bytes from the start of the buffer. */
  readonly offset: number;
  /** Bytes. */
  readonly size: number;
  /** The source of the copy: a buffer, or an image with its level and layer. */
  readonly of: string;
  /** VkFormat of the texels; 0 for words of a buffer. */
  readonly format: number;
  /** Steps of the format that two drivers may be apart. */
  readonly steps: number;
  /** The number of the action that wrote it last. */
  readonly action: number;
}

/** Something to copy: its bytes, and the command that copies them to a place. */
interface Part extends Pick<FuzzResult, "size" | "of" | "format" | "steps" | "action"> {
  copy(dstBuffer: string, offset: number): void;
}

const ALIGNMENT = 48;

/** Copies resources to a buffer that the host can see. Returns what is where; the lines that read it come later. */
export function readBack(model: Model, buffers: readonly FuzzBuffer[], images: readonly FuzzImage[]): FuzzResult[] {
  const readable = images.filter(({ shape }) => shape.samples === 1);
  const parts = [
    ...buffers.map((each) => bufferPart(model, each)),
    ...readable.flatMap((each) => imageParts(model, each)),
  ];
  const size = parts.reduce((sum, part) => sum + padded(part.size), 0);
  if (size === 0) return [];
  const stage = STAGE.transfer, access = ACCESS.transferRead, { writer } = model;
  model.access(
    ...buffers.map((buffer) => ({ buffer, stage, access })),
    ...readable.map((image) => ({ image, stage, access, layout: LAYOUT.transferSrc })),
  );
  const { buffer } = model.memory.hostBuffer(size);
  let offset = 0;
  const results = parts.map(({ copy, ...part }) => {
    copy(buffer, offset);
    const result = { ...part, buffer, offset };
    offset += padded(part.size);
    return result;
  });
  writer.command("vkCmdPipelineBarrier", {
    srcStageMask: STAGE.transfer,
    dstStageMask: STAGE.host,
    dependencyFlags: 0,
    pMemoryBarriers: [{ srcAccessMask: ACCESS.transferWrite, dstAccessMask: ACCESS.hostRead }],
    pBufferMemoryBarriers: [],
    pImageMemoryBarriers: [],
  });
  return results;
}

/** Writes the lines that read. */
export function readLines({ writer }: Model, results: readonly FuzzResult[]): void {
  for (const { buffer, offset, size } of results) {
    writer.lines.push({ read: buffer, offset, content: new Uint8Array(size) });
  }
}

function padded(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}

function bufferPart({ writer }: Model, { name, size, writer: action }: FuzzBuffer): Part {
  const copy = (dstBuffer: string, dstOffset: number) =>
    writer.command("vkCmdCopyBuffer", { srcBuffer: name, dstBuffer, pRegions: [{ srcOffset: 0, dstOffset, size }] });
  return { size, of: name, format: 0, steps: 0, action, copy };
}

function imageParts({ writer }: Model, image: FuzzImage): Part[] {
  const { name, format, steps, writer: action } = image;
  return image.subresources.flatMap(({ mip, layer }) => {
    const { width, height, depth } = image.extent(mip);
    return aspectsOf(format).map(({ aspectMask, part }): Part => ({
      size: sizeOf(part, { width, height, depth }),
      of: `${name} mip ${mip} layer ${layer}${aspectMask === VK_IMAGE_ASPECT_STENCIL_BIT ? " stencil" : ""}`,
      format: part.value,
      steps,
      action,
      copy: (dstBuffer, bufferOffset) =>
        writer.command("vkCmdCopyImageToBuffer", {
          srcImage: name,
          srcImageLayout: LAYOUT.transferSrc,
          dstBuffer,
          pRegions: [{
            bufferOffset,
            bufferRowLength: 0,
            bufferImageHeight: 0,
            imageSubresource: { aspectMask, mipLevel: mip, baseArrayLayer: layer, layerCount: 1 },
            imageOffset: { x: 0, y: 0, z: 0 },
            imageExtent: { width, height, depth },
          }],
        }),
    }));
  });
}

/** Returns how many representable numbers a step is: rounding costs normalised numbers one, or as much as one of ten bits; floats and depth have more of them. */
export function numbersInStep(format: Format): number {
  const bits = Math.max(...format.fields);
  if (hasDepth(format)) return bits === 16 ? 2 : 512;
  if (format.numbers === "float") return bits >= 32 ? 64 : 4;
  return bits > 10 ? 2 ** (bits - 10) : 1;
}
