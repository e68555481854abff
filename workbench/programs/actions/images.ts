import { VK_FILTER_LINEAR, VK_FILTER_NEAREST } from "../../../loader/gen/enums_core_gen.js";
import { chance, pick } from "../choices.ts";
import { ACCESS, FEATURE, LAYOUT, STAGE } from "../bits.ts";
import { aspectsOf, type Format, isBlock, isColor, isInteger, isPlain, isScaled, isWide } from "../formats.ts";
import { canClear, clearImage, uploadImage } from "../image_contents.ts";
import type { Model } from "../model.ts";
import type { FuzzImage } from "../resources.ts";
import type { Arguments } from "../writer.ts";
import type { Action } from "./action.ts";
import { blocksIn, type Box, boxIn, cornersOf, offsetOf, sameBoxes, subresource } from "./boxes.ts";

/** The most steps between two drivers with which an image is still read. */
const MOST_STEPS = 8;
/** The steps between drivers after linear filtering, whose weights may have few bits. */
const FILTERED = 8;

/** The use of an image as the source or the destination of a transfer. */
function transferred(image: FuzzImage, writes: boolean) {
  return {
    image,
    stage: STAGE.transfer,
    access: writes ? ACCESS.transferWrite : ACCESS.transferRead,
    layout: writes ? LAYOUT.transferDst : LAYOUT.transferSrc,
  };
}

function partOf(model: Model, image: FuzzImage): { mip: number; layer: number } {
  const { mips, layers } = image.shape;
  return { mip: model.choices.integer(0, mips - 1), layer: model.choices.integer(0, layers - 1) };
}

/** Uploads new texels into a subresource. */
export const upload: Action = (model) => {
  const image = model.image(model.formats, ({ shape }) => shape.samples === 1);
  if (!image) return undefined;
  const { mip, layer } = partOf(model, image);
  const use = { image, stage: STAGE.transfer, access: ACCESS.transferWrite, layout: LAYOUT.transferDst };
  model.access({ ...use, mip, layer });
  uploadImage(model, image, mip, layer);
  model.wrote(image);
  return { kind: "upload", format: image.format.name };
};

/** Clears levels and layers of an image. */
export const clear: Action = (model) => {
  const image = model.image(model.formats.filter(canClear));
  if (!image) return undefined;
  const { mip, layer } = partOf(model, image), isWhole = chance(model.choices, 30);
  const use = { image, stage: STAGE.transfer, access: ACCESS.transferWrite, layout: LAYOUT.transferDst };
  model.access(isWhole ? use : { ...use, mip, layer });
  clearImage(model, image, isWhole ? {} : { baseMipLevel: mip, levelCount: 1, baseArrayLayer: layer, layerCount: 1 });
  model.wrote(image, isWhole ? 0 : image.steps);
  return { kind: isColor(image.format) ? "clearColor" : "clearDepthStencil", format: image.format.name };
};

/** The layout of texels in a buffer of a size: an offset, and rows that may be longer than the box. */
function rowsIn({ choices }: Model, atMost: number, { bytes, block }: Format, box: Box): Arguments {
  const [across, down] = block, width = Math.ceil(box.width / across), height = Math.ceil(box.height / down);
  const row = width + pick(choices, [0, 0, 1, 3]), rows = height + pick(choices, [0, 0, 2]);
  const size = (((box.depth - 1) * rows + height - 1) * row + width) * bytes, unit = bytes * (bytes % 4 ? 4 : 1);
  const bufferOffset = unit * choices.integer(0, Math.floor((atMost - size) / unit));
  return { bufferOffset, bufferRowLength: row * across, bufferImageHeight: rows * down };
}

function bufferAndImage(model: Model, formats: readonly Format[], isWanted: (image: FuzzImage) => boolean) {
  const image = model.image(formats, (each) => each.shape.samples === 1 && isWanted(each));
  if (!image) return undefined;
  const { mip, layer } = partOf(model, image), box = blocksIn(model.choices, image.extent(mip), image.format.block);
  const { aspectMask, part } = pick(model.choices, aspectsOf(image.format)), [across, down] = part.block;
  const needed = (Math.ceil(box.width / across) + 3) * (Math.ceil(box.height / down) + 2) * box.depth * part.bytes + 64;
  const buffer = model.buffer(Math.ceil(needed / 4) * 4), rows = rowsIn(model, buffer.size, part, box);
  const region = { ...rows, imageSubresource: subresource(aspectMask, mip, layer), ...offsetOf("image", box) };
  return { image, mip, layer, buffer, region };
}

/** Copies words of a buffer into an image whose format has no patterns without a meaning. */
export const bufferToImage: Action = (model) => {
  const formats = model.formats.filter((format) => isPlain(format) || isBlock(format));
  const found = bufferAndImage(model, formats, () => true);
  if (!found) return undefined;
  const { image, mip, layer, buffer, region } = found, use = transferred(image, true);
  model.access({ ...use, mip, layer }, { buffer, stage: STAGE.transfer, access: ACCESS.transferRead });
  model.transfer("vkCmdCopyBufferToImage", {
    srcBuffer: buffer.name,
    dstImage: image.name,
    dstImageLayout: use.layout,
    pRegions: [region],
  });
  model.wrote(image);
  return { kind: "bufferToImage", format: image.format.name };
};

/** Copies texels on which all drivers agree into a buffer. */
export const imageToBuffer: Action = (model) => {
  // the bits beside 24 bits of depth are undefined
  const formats = model.formats.filter((format) => isColor(format) || format.fields[0] !== 24);
  const found = bufferAndImage(model, formats, ({ steps }) => steps === 0);
  if (!found) return undefined;
  const { image, mip, layer, buffer, region } = found, use = transferred(image, false);
  model.access({ ...use, mip, layer }, { buffer, stage: STAGE.transfer, access: ACCESS.transferWrite });
  model.transfer("vkCmdCopyImageToBuffer", {
    srcImage: image.name,
    srcImageLayout: use.layout,
    dstBuffer: buffer.name,
    pRegions: [region],
  });
  buffer.writer = model.action;
  return { kind: "imageToBuffer", format: image.format.name };
};

/** Copies a box of an image to another of the same format, or of one of the same size. */
export const copyImage: Action = (model) => {
  const from = model.image(model.formats, ({ steps }) => steps <= MOST_STEPS);
  if (!from) return undefined;
  const { format, shape: { samples, type } } = from, { choices } = model;
  const alike = model.formats.filter((each) =>
    each === format || from.steps === 0 && isPlain(each) && isPlain(format) && each.bytes === format.bytes
  );
  const to = model.image(samples > 1 ? [format] : alike, (each) => each !== from, { samples, type });
  if (!to || to === from) return undefined;
  const one = partOf(model, from),
    other = partOf(model, to),
    source = from.extent(one.mip),
    room = to.extent(other.mip);
  const boxes = sameBoxes(choices, source, room, format.block);
  if (!boxes) return undefined;
  const [box, place] = boxes, most = Math.min(from.shape.layers - one.layer, to.shape.layers - other.layer);
  const layerCount = choices.integer(1, most), reading = transferred(from, false), writing = transferred(to, true);
  model.access({ ...reading, ...one, layerCount }, { ...writing, ...other, layerCount });
  model.transfer("vkCmdCopyImage", {
    srcImage: from.name,
    srcImageLayout: reading.layout,
    dstImage: to.name,
    dstImageLayout: writing.layout,
    pRegions: aspectsOf(format).map(({ aspectMask }) => ({
      srcSubresource: subresource(aspectMask, one.mip, one.layer, layerCount),
      srcOffset: box.offset,
      dstSubresource: subresource(aspectMask, other.mip, other.layer, layerCount),
      dstOffset: place.offset,
      extent: { width: box.width, height: box.height, depth: box.depth },
    })),
  });
  model.wrote(to, Math.max(to.steps, from.steps));
  return { kind: "copyImage", format: to.format.name };
};

/**
 * Whether a blit between formats loses nothing that tolerances do not cover.
 * The exact way from sRGB to linear is left to drivers, so that only formats as
 * coarse as sRGB itself take the result.
 */
function canConvert({ format: from, steps }: FuzzImage, to: Format): boolean {
  if (from === to) return steps <= MOST_STEPS;
  if (!isColor(from) || !isColor(to) || isBlock(to)) return false;
  if ([from, to].some((format) => isScaled(format) || isWide(format))) return false;
  if (from.numbers === "srgb" && (to.numbers === "float" || Math.max(...to.fields) > 8)) return false;
  return steps === 0 && !isInteger(from) && !isInteger(to) && to.numbers !== "snorm";
}

/** Whether a blit may filter: normalised numbers, since the error of a filter is one of the largest number that it reads. */
function canFilter(model: Model, { format: from, steps }: FuzzImage, to: Format): boolean {
  const areNormalised = from.numbers === "unorm" && to.numbers === "unorm";
  return areNormalised && steps === 0 && model.can(from, FEATURE.filtered);
}

/** Blits a box, scaled or mirrored, with the nearest texels or filtered. */
export const blit: Action = (model) => {
  const { choices } = model;
  const sources = model.formats.filter((each) => !isBlock(each) && model.can(each, FEATURE.blitSrc));
  const from = model.image(sources, ({ shape, steps }) => shape.samples === 1 && steps <= MOST_STEPS);
  if (!from) return undefined;
  const targets = model.formats.filter((to) => model.can(to, FEATURE.blitDst) && canConvert(from, to));
  const to = model.image(targets, (each) => each !== from, { samples: 1, type: from.shape.type });
  if (!to || to === from) return undefined;
  const one = partOf(model, from), other = partOf(model, to);
  const isLinear = canFilter(model, from, to.format) && chance(choices, 30);
  const boxes = cornersOf(choices, from.extent(one.mip), to.extent(other.mip), isLinear);
  const reading = transferred(from, false), writing = transferred(to, true);
  model.access({ ...reading, ...one }, { ...writing, ...other });
  model.transfer("vkCmdBlitImage", {
    srcImage: from.name,
    srcImageLayout: reading.layout,
    dstImage: to.name,
    dstImageLayout: writing.layout,
    pRegions: [{
      srcSubresource: subresource(from.aspects, one.mip, one.layer),
      srcOffsets: boxes.source,
      dstSubresource: subresource(to.aspects, other.mip, other.layer),
      dstOffsets: boxes.target,
    }],
    filter: isLinear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
  });
  const isRaw = from.format === to.format && isInteger(to.format);
  model.wrote(to, Math.max(to.steps, isLinear ? FILTERED : from.steps + (isRaw ? 0 : 2)));
  return { kind: "blit", format: to.format.name };
};

/** Resolves an image of several samples. */
export const resolve: Action = (model) => {
  const formats = model.formats.filter((format) =>
    isColor(format) && !isInteger(format) && !isWide(format) && (model.facts.samples[format.value] & 4) !== 0 &&
    model.can(format, FEATURE.color)
  );
  const from = model.image(formats, ({ steps }) => steps <= MOST_STEPS, { samples: 4 });
  if (!from) return undefined;
  const { width, height } = from.shape;
  const to = model.image([from.format], undefined, { samples: 1, type: 1, width, height });
  if (!to) return undefined;
  const layer = model.choices.integer(0, to.shape.layers - 1), box = boxIn(model.choices, from.extent(0));
  const place = boxIn(model.choices, to.extent(0), box);
  const reading = transferred(from, false), writing = transferred(to, true);
  model.access({ ...reading, mip: 0, layer: 0 }, { ...writing, mip: 0, layer });
  model.transfer("vkCmdResolveImage", {
    srcImage: from.name,
    srcImageLayout: reading.layout,
    dstImage: to.name,
    dstImageLayout: writing.layout,
    pRegions: [{
      srcSubresource: subresource(1, 0, 0),
      srcOffset: box.offset,
      dstSubresource: subresource(1, 0, layer),
      dstOffset: place.offset,
      extent: { width: box.width, height: box.height, depth: 1 },
    }],
  });
  model.wrote(to, Math.max(to.steps, from.steps + 2));
  return { kind: "resolve", format: to.format.name };
};
