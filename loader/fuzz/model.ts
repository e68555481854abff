import { chance, type Choices, pick } from "./choices.ts";
import { clearColor, clearDepth, texelsOf } from "./contents.ts";
import type { FuzzFacts } from "./facts.ts";
import { allFormats, type Format, hasDepth, hasStencil, isColor } from "./formats.ts";
import { AccessState, type Dependency, type Use } from "./state.ts";
import { type FuzzBuffer, FuzzImage, type Shape } from "./resources.ts";
import type { Submissions } from "./submissions.ts";
import { Memory } from "./memory.ts";
import { type Arguments, Writer } from "./writer.ts";
import { ACCESS, FEATURE, LAYOUT, STAGE, USAGE } from "./bits.ts";

/** A use of a buffer, or of a part of an image: by default all of the image. */
export type Access =
  | Omit<Use, "layout"> & { readonly buffer: FuzzBuffer }
  | Use & { readonly image: FuzzImage; readonly mip?: number; readonly layer?: number; readonly layerCount?: number };

/** A program in the making: what exists, what state everything is in, and what was chosen. */
export class Model {
  /** Decides. Each action has its own. */
  choices: Choices;
  /** The lines. */
  readonly writer = new Writer();
  /** Memory, and data of the program. */
  readonly memory: Memory = new Memory(this.writer);
  /** The images so far. */
  readonly images: FuzzImage[] = [];
  /** The buffers so far. */
  readonly buffers: FuzzBuffer[] = [];
  /** The shader modules by name. */
  readonly modules = new Map<string, string>();
  /** The formats that can be used. */
  readonly formats: readonly Format[];
  /** The command buffers. */
  submissions: Submissions | undefined;
  /** The number of the current action. */
  action = 0;
  /** Whether commands go to a secondary command buffer. */
  isSecondary = false;
  /** How many draws have depths. */
  draws = 0;

  /** Takes what the drivers can do. */
  constructor(readonly facts: FuzzFacts, choices: Choices) {
    this.choices = choices;
    this.formats = allFormats().filter((format) => this.can(format, FEATURE.transferSrc | FEATURE.transferDst));
  }

  /** Whether images of a format have features. */
  can({ value }: Format, features: number): boolean {
    return ((this.facts.formats[value] ?? 0) & features) === features;
  }

  /** Whether the drivers have a feature. */
  has(feature: string): boolean {
    return this.facts.features.includes(feature);
  }

  /** Makes the barriers that uses need. */
  access(...uses: readonly Access[]): void {
    const images: Arguments[] = [], buffers: Arguments[] = [];
    let srcStageMask = 0, dstStageMask = 0;
    const add = ({ srcStage, use }: Dependency) => {
      srcStageMask |= srcStage;
      dstStageMask |= use.stage;
    };
    for (const use of uses) {
      const found = "buffer" in use ? bufferBarrier(use) : imageBarriers(use);
      for (const { dependency, barrier } of found) {
        add(dependency);
        ("buffer" in use ? buffers : images).push(barrier);
      }
    }
    if (srcStageMask === 0) return;
    this.#barrier(srcStageMask, dstStageMask, buffers, images);
  }

  /** Returns a buffer of a size at least: an old one or a new one. */
  buffer(size: number, isWanted: (buffer: FuzzBuffer) => boolean = () => true): FuzzBuffer {
    const known = this.buffers.filter((each) => each.size >= size && isWanted(each));
    return known.length > 0 && chance(this.choices, 60) ? pick(this.choices, known) : this.#newBuffer(size);
  }

  /** Returns an image: an old one that is wanted, or a new one of these formats. */
  image(
    formats: readonly Format[],
    isWanted: (image: FuzzImage) => boolean = () => true,
    wanted: Partial<Shape> = {},
  ): FuzzImage | undefined {
    const known = this.images.filter((image) =>
      formats.includes(image.format) && isWanted(image) && fits(image, wanted)
    );
    if (known.length > 0 && chance(this.choices, 70)) return pick(this.choices, known);
    return formats.length > 0 ? this.#newImage(pick(this.choices, formats), wanted) : undefined;
  }

  /** Notes that the current action writes to an image. */
  wrote(image: FuzzImage, steps = image.steps): void {
    image.writer = this.action;
    image.steps = steps;
    image.most = Math.max(image.most, steps);
  }

  /** A global barrier does what those of the resources do, unless layouts change. */
  #barrier(srcStageMask: number, dstStageMask: number, buffers: Arguments[], images: Arguments[]): void {
    const { choices } = this, isGlobal = buffers.length > 0 && images.length === 0 && chance(choices, 30);
    if (this.has("synchronization2") && chance(choices, 25)) {
      const staged = (each: Arguments) => ({ ...each, srcStageMask, dstStageMask });
      this.writer.command("vkCmdPipelineBarrier2", {
        pDependencyInfo: { pBufferMemoryBarriers: buffers.map(staged), pImageMemoryBarriers: images.map(staged) },
      });
      return;
    }
    this.writer.command("vkCmdPipelineBarrier", {
      srcStageMask,
      dstStageMask,
      dependencyFlags: 0,
      pMemoryBarriers: isGlobal
        ? buffers.map(({ srcAccessMask, dstAccessMask }) => ({ srcAccessMask, dstAccessMask }))
        : [],
      pBufferMemoryBarriers: isGlobal ? [] : buffers,
      pImageMemoryBarriers: images,
    });
  }

  #newBuffer(atLeast: number): FuzzBuffer {
    const size = Math.max(atLeast, 16 * pick(this.choices, [1, 4, 16, 60, 256, 1024]));
    const name = this.writer.create("VkBuffer", { size, usage: USAGE.anyBuffer, sharingMode: 0 });
    this.memory.bindBuffer(name, size);
    const buffer: FuzzBuffer = { name, size, state: new AccessState(), writer: this.action };
    this.access({ buffer, stage: STAGE.transfer, access: ACCESS.transferWrite });
    this.writer.command("vkCmdFillBuffer", {
      dstBuffer: name,
      dstOffset: 0,
      size,
      data: this.choices.integer(0, 0xffff_ffff),
    });
    this.buffers.push(buffer);
    return buffer;
  }

  #newImage(format: Format, wanted: Partial<Shape>): FuzzImage {
    const shape = this.#shape(format, wanted), usage = this.#usage(format, shape);
    const { type: imageType, width, height, depth, mips: mipLevels, layers: arrayLayers, samples, cube } = shape;
    const name = this.writer.create("VkImage", {
      flags: cube ? 0x10 : 0, // VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT
      imageType,
      format: format.value,
      extent: { width, height, depth },
      mipLevels,
      arrayLayers,
      samples,
      tiling: 0,
      usage,
      sharingMode: 0,
      initialLayout: 0,
    });
    const image = new FuzzImage(name, format, shape, usage);
    this.memory.bindImage(name, width * height * depth * arrayLayers * format.bytes * 2);
    this.#define(image);
    this.images.push(image);
    return image;
  }

  #shape(format: Format, wanted: Partial<Shape>): Shape {
    const { choices } = this, samples = wanted.samples ?? 1;
    const type = wanted.type ??
      (samples === 1 && isColor(format) && !("width" in wanted) ? pick(choices, [1, 1, 1, 0, 2]) : 1);
    const size = () => pick(choices, type === 2 ? [4, 1, 3, 8] : [8, 1, 2, 5, 16, 33, 64]);
    const width = wanted.width ?? size(), height = wanted.height ?? (type === 0 ? 1 : size());
    const depth = wanted.depth ?? (type === 2 ? size() : 1), most = 32 - Math.clz32(Math.max(width, height, depth));
    const cube = wanted.cube ?? (type === 1 && samples === 1 && width === height && width < 64 && chance(choices, 15));
    const layers = wanted.layers ?? (cube ? 6 : type === 2 || samples > 1 ? 1 : pick(choices, [1, 1, 2, 3]));
    const mips = wanted.mips ?? (samples > 1 ? 1 : choices.integer(1, most));
    return { type, width, height, depth, samples, cube, layers, mips };
  }

  #usage(format: Format, { type, samples }: Shape): number {
    const attachments = (this.can(format, FEATURE.color) ? USAGE.color : 0) |
      (this.can(format, FEATURE.depthStencil) ? USAGE.depthStencil : 0);
    if (samples > 1) return USAGE.transfers | attachments;
    const shaders = (this.can(format, FEATURE.sampled) ? USAGE.sampled : 0) |
      (format.value === R32_UINT && this.can(format, FEATURE.storage) ? USAGE.storage : 0);
    return USAGE.transfers | shaders | (type === 1 ? attachments : 0);
  }

  /** Gives a new image contents: of a clear, or of an upload. */
  #define(image: FuzzImage): void {
    this.wrote(image);
    this.access({ image, stage: STAGE.transfer, access: ACCESS.transferWrite, layout: LAYOUT.transferDst });
    if (image.shape.samples > 1 || chance(this.choices, 50)) return this.clear(image);
    for (const { mip, layer } of image.subresources) this.upload(image, mip, layer);
  }

  /** Clears a part of an image that is ready for it; by default all. */
  clear(image: FuzzImage, part: Arguments = {}): void {
    const range = {
      aspectMask: image.aspects,
      baseMipLevel: 0,
      levelCount: image.shape.mips,
      baseArrayLayer: 0,
      layerCount: image.shape.layers,
      ...part,
    };
    const args = { image: image.name, imageLayout: LAYOUT.transferDst, pRanges: [range] }, { choices } = this;
    if (isColor(image.format)) {
      return this.writer.command("vkCmdClearColorImage", { ...args, pColor: clearColor(choices, image.format) });
    }
    const pDepthStencil = { depth: clearDepth(choices), stencil: choices.integer(0, 255) };
    this.writer.command("vkCmdClearDepthStencilImage", { ...args, pDepthStencil });
  }

  /** Copies new texels into all of a subresource that is ready for it. */
  upload(image: FuzzImage, mip: number, layer: number): void {
    const { width, height, depth } = image.extent(mip), { format } = image;
    const pRegions = aspectsOf(format).map(({ aspectMask, part }) => {
      const texels = texelsOf(this.choices, part, width * height * depth),
        { buffer, offset } = this.memory.write(texels);
      return {
        buffer,
        region: {
          bufferOffset: offset,
          bufferRowLength: 0,
          bufferImageHeight: 0,
          imageSubresource: { aspectMask, mipLevel: mip, baseArrayLayer: layer, layerCount: 1 },
          imageOffset: { x: 0, y: 0, z: 0 },
          imageExtent: { width, height, depth },
        },
      };
    });
    for (const { buffer, region } of pRegions) {
      this.writer.command("vkCmdCopyBufferToImage", {
        srcBuffer: buffer,
        dstImage: image.name,
        dstImageLayout: LAYOUT.transferDst,
        pRegions: [region],
      });
    }
  }
}

const R32_UINT = 98;
const STENCIL: Format = { value: 127, name: "S8_UINT", numbers: "stencil", bytes: 1, fields: [8] };

/** Returns the aspects of a format, each with the format that its texels have in buffers. */
export function aspectsOf(format: Format): { aspectMask: number; part: Format }[] {
  if (isColor(format)) return [{ aspectMask: 1, part: format }];
  return [
    ...hasDepth(format) ? [{ aspectMask: 2, part: { ...format, numbers: "depth" as const } }] : [],
    ...hasStencil(format) ? [{ aspectMask: 4, part: STENCIL }] : [],
  ];
}

function fits({ shape }: FuzzImage, wanted: Partial<Shape>): boolean {
  return Object.entries(wanted).every(([name, value]) => shape[name as keyof Shape] === value);
}

function bufferBarrier({ buffer, stage, access }: Extract<Access, { buffer: FuzzBuffer }>) {
  const dependency = buffer.state.use({ stage, access, layout: 0 });
  if (!dependency) return [];
  const barrier = {
    srcAccessMask: dependency.srcAccess,
    dstAccessMask: access,
    srcQueueFamilyIndex: IGNORED,
    dstQueueFamilyIndex: IGNORED,
    buffer: buffer.name,
    offset: 0,
    size: buffer.size,
  };
  return [{ dependency, barrier }];
}

function imageBarriers({ image, mip, layer, layerCount = 1, ...use }: Extract<Access, { image: FuzzImage }>) {
  const parts = image.subresources.filter((part) =>
    (mip === undefined || part.mip === mip) &&
    (layer === undefined || part.layer >= layer && part.layer < layer + layerCount)
  );
  return parts.flatMap((part) => {
    const dependency = image.state(part.mip, part.layer).use(use);
    if (!dependency) return [];
    const barrier = {
      srcAccessMask: dependency.srcAccess,
      dstAccessMask: use.access,
      oldLayout: dependency.oldLayout,
      newLayout: use.layout,
      srcQueueFamilyIndex: IGNORED,
      dstQueueFamilyIndex: IGNORED,
      image: image.name,
      subresourceRange: {
        aspectMask: image.aspects,
        baseMipLevel: part.mip,
        levelCount: 1,
        baseArrayLayer: part.layer,
        layerCount: 1,
      },
    };
    return [{ dependency, barrier }];
  });
}

/** VK_QUEUE_FAMILY_IGNORED. */
const IGNORED = 0xffff_ffff;
