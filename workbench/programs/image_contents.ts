import { LAYOUT } from "./bits.ts";
import { clearColor, clearDepth, texelsOf } from "./contents.ts";
import { aspectsOf, type Format, isBlock, isColor, isWide, sizeOf } from "./formats.ts";
import type { Draft } from "./draft.ts";
import type { FuzzImage } from "./resources.ts";
import type { Arguments } from "./writer.ts";

/** Whether images of a format are cleared: values of a clear have 32 bits. */
export function canClear(format: Format): boolean {
  return !isBlock(format) && !isWide(format);
}

/** Clears a part of an image that is ready for it; by default all. */
export function clearImage({ writer, choices }: Draft, image: FuzzImage, part: Arguments = {}): void {
  const range = {
    aspectMask: image.aspects,
    baseMipLevel: 0,
    levelCount: image.shape.mips,
    baseArrayLayer: 0,
    layerCount: image.shape.layers,
    ...part,
  };
  const args = { image: image.name, imageLayout: LAYOUT.transferDst, pRanges: [range] };
  if (isColor(image.format)) {
    return writer.command("vkCmdClearColorImage", { ...args, pColor: clearColor(choices, image.format) });
  }
  const pDepthStencil = { depth: clearDepth(choices), stencil: choices.integer(0, 255) };
  writer.command("vkCmdClearDepthStencilImage", { ...args, pDepthStencil });
}

/** Copies new texels into all of a subresource that is ready for it. */
export function uploadImage(draft: Draft, image: FuzzImage, mip: number, layer: number): void {
  const extent = image.extent(mip);
  for (const { aspectMask, part } of aspectsOf(image.format)) {
    const { buffer, offset } = draft.memory.write(newTexels(draft, part, extent));
    draft.transfer("vkCmdCopyBufferToImage", {
      srcBuffer: buffer,
      dstImage: image.name,
      dstImageLayout: LAYOUT.transferDst,
      pRegions: [{
        bufferOffset: offset,
        bufferRowLength: 0,
        bufferImageHeight: 0,
        imageSubresource: { aspectMask, mipLevel: mip, baseArrayLayer: layer, layerCount: 1 },
        imageOffset: { x: 0, y: 0, z: 0 },
        imageExtent: extent,
      }],
    });
  }
}

function newTexels({ choices }: Draft, part: Format, extent: ReturnType<FuzzImage["extent"]>) {
  return texelsOf(choices, part, sizeOf(part, extent) / part.bytes);
}
