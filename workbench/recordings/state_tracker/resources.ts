import type { Fields, RecordedCall } from "../record/line.ts";
import { Objects } from "./objects.ts";
import { imageInfo } from "../replay/swapchain.ts";
import { VK_REMAINING_ARRAY_LAYERS, VK_REMAINING_MIP_LEVELS } from "../../../loader/gen/enums_core_gen.js";

/** The facts about an image in a recording. */
export interface ImageFacts {
  /** VkFormat. */
  readonly format: number;
  /** VkImageUsageFlags, as recorded. */
  readonly usage: number;
  /** VkSampleCountFlagBits. */
  readonly samples: number;
  /** Texels of the first level. */
  readonly extent: { readonly width: number; readonly height: number; readonly depth: number };
  /** Number of levels. */
  readonly mipLevels: number;
  /** Number of layers. */
  readonly arrayLayers: number;
  /** VkImageLayout at first. */
  readonly initialLayout: number;
}

/** Levels and layers that are followed: no driver has images with more, and a recording may say any number. */
const MOST_LEVELS = 32, MOST_LAYERS = 8192, MOST_SLICES = 16384;

/** Levels and layers of an image. */
export interface ImagePart {
  /** The image's name. */
  readonly image: string;
  /** VkImageAspectFlags. */
  readonly aspectMask: number;
  /** The first level, and how many. */
  readonly baseMipLevel: number;
  readonly levelCount: number;
  /** The first layer, and how many. */
  readonly baseArrayLayer: number;
  readonly layerCount: number;
}

/** The living objects of a recording, by name, with the facts of their creation. */
export class Resources {
  /** The objects. */
  readonly objects: Objects = new Objects();
  readonly #images = new Map<string, ImageFacts>();
  readonly #swapchains = new Map<string, Fields>();
  /** By pipeline layout and by pipeline, the create infos of set layouts, which may end before a pipeline does. */
  readonly #setLayouts = new Map<string, readonly Fields[]>();

  /** Notes the objects that a call made and destroyed, by its line. Returns the names of those that ended. */
  note(call: RecordedCall, index: number): readonly string[] {
    const { command, args, out } = call, ended = this.objects.note(call, index);
    for (const name of ended) {
      this.#images.delete(name);
      this.#swapchains.delete(name);
      this.#setLayouts.delete(name);
    }
    if (command === "vkCreateSwapchainKHR") {
      this.#swapchains.set(out!.pSwapchain, imageInfo(args.pCreateInfo) as Fields);
    }
    for (const name of imagesIn(out)) this.#images.set(name, this.#factsOf(call, this.objects.info(name)!));
    this.#noteSetLayouts(command, args, out ?? {});
    return ended;
  }

  /** Returns the create infos of the set layouts of a pipeline, or of a pipeline layout; none for an unknown name. */
  setLayoutsOf(name: string | undefined): readonly Fields[] {
    return this.#setLayouts.get(name ?? "") ?? [];
  }

  /** Returns the buffers and images of each device, by the device's name. */
  byDevice(): Map<string, string[]> {
    return Map.groupBy(
      this.named(/^Vk(Buffer|Image)#/),
      (name) => this.objects.get(name)!.call.args.device as string,
    );
  }

  /** Returns the living objects whose names match a pattern. */
  named(pattern: RegExp): string[] {
    return [...this.objects.names()].filter((name) => pattern.test(name));
  }

  /** Returns the queues that the program got from a device. */
  queuesOf(device: string): string[] {
    return this.named(/^VkQueue#/).filter((name) => this.objects.get(name)!.call.args.device === device);
  }

  /** Returns the create info of an object; `undefined` for an unknown name. */
  info(name: string | null | undefined): Fields | undefined {
    return name ? this.objects.info(name) : undefined;
  }

  /** Returns the call that made an object; `undefined` for an unknown name. */
  call(name: string): RecordedCall | undefined {
    return this.objects.get(name)?.call;
  }

  /** Returns the facts about an image; `undefined` for an unknown name. */
  image(name: string): ImageFacts | undefined {
    return this.#images.get(name);
  }

  /** Returns the part of an image that a view shows; `undefined` for an unknown view. */
  view(name: string | null | undefined): ImagePart | undefined {
    const info = this.info(name);
    return info?.image ? this.part(info.image, info.subresourceRange) : undefined;
  }

  /** Returns a part of an image, with "all that remain" resolved. */
  part(image: string, range: Fields): ImagePart {
    const { aspectMask = 1, baseMipLevel = 0, levelCount = 1, baseArrayLayer = 0, layerCount = 1 } = range;
    const facts = this.image(image), { mipLevels = 1, arrayLayers = 1, extent } = facts ?? {};
    const levels = levelCount === VK_REMAINING_MIP_LEVELS ? mipLevels - baseMipLevel : levelCount;
    const layers = layerCount === VK_REMAINING_ARRAY_LAYERS ? arrayLayers - baseArrayLayer : layerCount;
    // Slices may be layers of a view.
    const most = facts ? Math.max(arrayLayers, Math.min(extent?.depth ?? 1, MOST_SLICES)) : MOST_LAYERS;
    return {
      image,
      aspectMask,
      baseMipLevel,
      levelCount: Math.max(0, Math.min(levels, MOST_LEVELS - baseMipLevel)),
      baseArrayLayer,
      layerCount: Math.max(0, Math.min(layers, most - baseArrayLayer)),
    };
  }

  #noteSetLayouts(command: string, { pCreateInfo: info, pCreateInfos: infos }: Fields, out: Fields): void {
    if (command === "vkCreatePipelineLayout") {
      const layouts: string[] = info.pSetLayouts ?? [];
      this.#setLayouts.set(out.pPipelineLayout, layouts.map((name) => this.info(name) ?? {}));
    } else if (/^vkCreate(Graphics|Compute)Pipelines$/.test(command)) {
      for (const [place, name] of (out.pPipelines ?? []).entries()) {
        if (name) this.#setLayouts.set(name, this.setLayoutsOf(infos[place].layout));
      }
    }
  }

  #factsOf({ args }: RecordedCall, info: Fields): ImageFacts {
    const { samples = 1, mipLevels = 1, arrayLayers = 1, initialLayout = 0, usage = 0, format = 0, extent } =
      this.#swapchains.get(args.swapchain) ?? info;
    return {
      format,
      usage,
      samples,
      extent: extent as ImageFacts["extent"],
      mipLevels: Math.min(mipLevels, MOST_LEVELS),
      arrayLayers: Math.min(arrayLayers, MOST_LAYERS),
      initialLayout,
    };
  }
}

/** The images that a call made, or got from a swapchain. */
function imagesIn(out: Fields = {}): string[] {
  return [out.pImage, ...out.pSwapchainImages ?? []].filter((name) => typeof name === "string");
}
