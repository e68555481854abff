import {
  VK_API_VERSION_1_3,
  VK_FORMAT_R32_UINT,
  VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
  VK_IMAGE_TILING_OPTIMAL,
  VK_SHARING_MODE_EXCLUSIVE,
} from "../../loader/gen/enums_core_gen.js";
import { type Access, writeBarriers } from "./barriers.ts";
import { ACCESS, FEATURE, LAYOUT, STAGE, USAGE } from "./bits.ts";
import { chance, type Choices, pick } from "./choices.ts";
import type { Draft } from "./draft.ts";
import type { FuzzFacts } from "./facts.ts";
import { allFormats, type Format, isBlock, isColor } from "./formats.ts";
import { canClear, clearImage, uploadImage } from "./image_contents.ts";
import { Memory } from "./memory.ts";
import { type FuzzBuffer, FuzzImage, type Shape } from "./resources.ts";
import { AccessState } from "./state.ts";
import type { Submissions } from "./submissions.ts";
import { type Arguments, Writer } from "./writer.ts";

/** Chooses the shape of a new image. */
function newShape({ choices }: Draft, format: Format, wanted: Partial<Shape>): Shape {
  const samples = wanted.samples ?? 1, isFree = samples === 1 && isColor(format) && !isBlock(format);
  const type = wanted.type ?? (isFree && !("width" in wanted) ? pick(choices, [1, 1, 1, 0, 2]) : 1);
  const size = () => pick(choices, type === 2 ? [4, 1, 3, 8] : [8, 1, 2, 5, 16, 33, 64]);
  const width = wanted.width ?? size(), height = wanted.height ?? (type === 0 ? 1 : size());
  const depth = wanted.depth ?? (type === 2 ? size() : 1), most = 32 - Math.clz32(Math.max(width, height, depth));
  const cube = wanted.cube ?? (type === 1 && samples === 1 && width === height && width < 64 && chance(choices, 15));
  const layers = wanted.layers ?? (cube ? 6 : type === 2 || samples > 1 ? 1 : pick(choices, [1, 1, 2, 3]));
  const mips = wanted.mips ?? (samples > 1 ? 1 : choices.integer(1, most));
  return { type, width, height, depth, samples, cube, layers, mips };
}

/** Returns all usages that an image can have. */
function usageOf(draft: Draft, format: Format, { type, samples }: Shape): number {
  const attachments = (draft.can(format, FEATURE.color) ? USAGE.color : 0) |
    (draft.can(format, FEATURE.depthStencil) ? USAGE.depthStencil : 0);
  if (samples > 1) return USAGE.transfers | attachments;
  const shaders = (draft.can(format, FEATURE.sampled) ? USAGE.sampled : 0) |
    (format.value === VK_FORMAT_R32_UINT && draft.can(format, FEATURE.storage) ? USAGE.storage : 0);
  return USAGE.transfers | shaders | (type === 1 ? attachments : 0);
}

/** The only member of the commands of Vulkan 1.3 that have their arguments in one struct. */
const IN_ONE_STRUCT: Readonly<Record<string, string>> = {
  vkCmdCopyBuffer: "pCopyBufferInfo",
  vkCmdCopyImage: "pCopyImageInfo",
  vkCmdCopyBufferToImage: "pCopyBufferToImageInfo",
  vkCmdCopyImageToBuffer: "pCopyImageToBufferInfo",
  vkCmdBlitImage: "pBlitImageInfo",
  vkCmdResolveImage: "pResolveImageInfo",
};

/** A program in the making: what exists, what state everything is in, and what was chosen. */
export class Model implements Draft {
  /** Decides. Each action has its own. */
  choices: Choices;
  /** The lines. */
  readonly writer: Writer = new Writer();
  /** Memory, and data of the program. */
  readonly memory: Memory = new Memory(this.writer);
  /** The images so far. */
  readonly images: FuzzImage[] = [];
  /** The buffers so far. */
  readonly buffers: FuzzBuffer[] = [];
  /** The shader modules by name. */
  readonly modules: Map<string, string> = new Map();
  /** The formats that can be used. */
  readonly formats: readonly Format[];
  /** The command buffers. */
  submissions: Submissions | undefined;
  /** The number of the current action. */
  action = 0;
  /** Whether commands go to a secondary command buffer. */
  isSecondary = false;
  /** The number of draws that have depths. */
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
    writeBarriers(this, uses);
  }

  /** Writes a command that copies, blits or resolves, as Vulkan 1.0 has the command or as Vulkan 1.3 does. */
  transfer(command: string, args: Arguments): void {
    const member = IN_ONE_STRUCT[command];
    if (this.facts.apiVersion < VK_API_VERSION_1_3 || !chance(this.choices, 20)) {
      return this.writer.command(command, args);
    }
    this.writer.command(`${command}2`, { [member]: args });
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
    return formats.length > 0 ? this.#newImage(this.#formatOf(formats), wanted) : undefined;
  }

  /** Notes that the current action writes to an image. */
  wrote(image: FuzzImage, steps: number = image.steps): void {
    image.writer = this.action;
    image.steps = steps;
    image.most = Math.max(image.most, steps);
  }

  /** Compressed formats are many and can only be copied, so that they are chosen less often. */
  #formatOf(formats: readonly Format[]): Format {
    const compressed = formats.filter(isBlock), others = formats.filter((each) => !isBlock(each));
    if (others.length === 0 || compressed.length > 0 && chance(this.choices, 15)) return pick(this.choices, compressed);
    return pick(this.choices, others);
  }

  #newBuffer(atLeast: number): FuzzBuffer {
    const size = Math.max(atLeast, 16 * pick(this.choices, [1, 4, 16, 60, 256, 1024]));
    const name = this.writer.create("VkBuffer", {
      size,
      usage: USAGE.anyBuffer,
      sharingMode: VK_SHARING_MODE_EXCLUSIVE,
    });
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
    const shape = newShape(this, format, wanted), usage = usageOf(this, format, shape);
    const { type: imageType, width, height, depth, mips: mipLevels, layers: arrayLayers, samples, cube } = shape;
    const name = this.writer.create("VkImage", {
      flags: cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
      imageType,
      format: format.value,
      extent: { width, height, depth },
      mipLevels,
      arrayLayers,
      samples,
      tiling: VK_IMAGE_TILING_OPTIMAL,
      usage,
      sharingMode: VK_SHARING_MODE_EXCLUSIVE,
      initialLayout: LAYOUT.undefined,
    });
    const image = new FuzzImage(name, format, shape, usage);
    this.memory.bindImage(name, width * height * depth * arrayLayers * format.bytes * 2);
    this.#define(image);
    this.images.push(image);
    return image;
  }

  /** Gives a new image contents: of a clear, or of an upload. */
  #define(image: FuzzImage): void {
    this.wrote(image);
    this.access({ image, stage: STAGE.transfer, access: ACCESS.transferWrite, layout: LAYOUT.transferDst });
    if (image.shape.samples > 1 || canClear(image.format) && chance(this.choices, 50)) return clearImage(this, image);
    for (const { mip, layer } of image.subresources) uploadImage(this, image, mip, layer);
  }
}

function fits({ shape }: FuzzImage, wanted: Partial<Shape>): boolean {
  return Object.entries(wanted).every(([name, value]) => shape[name as keyof Shape] === value);
}
