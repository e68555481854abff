import type { Fields, RecordedCall } from "../record/line.ts";
import { planOf } from "../../../loader/command/plan.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import { coreName } from "../record/commands.ts";
import { Children, poolIn } from "../replay/children.ts";
import { handleOutputs, namesIn } from "../replay/arguments.ts";
import { imageInfo } from "../replay/swapchain.ts";
import { destroyingOf } from "../../../loader/layers/define/object_pairs.ts";
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

/** The creation of an object. */
interface Made {
  readonly call: RecordedCall;
  /** The create info: one of several for pipelines. */
  readonly info: Fields;
}

/** The living objects of a recording, by name, with the facts of their creation. */
export class Resources {
  readonly #made = new Map<string, Made>();
  readonly #images = new Map<string, ImageFacts>();
  readonly #swapchains = new Map<string, Fields>();
  readonly #children = new Children();

  /** Notes the objects that a call made and destroyed. Returns the names of those that ended. */
  note(call: RecordedCall): readonly string[] {
    const { command, args, out } = call, found = findCommand(command);
    if (!found) return [];
    const plan = planOf(found), infos = args.pCreateInfos ?? args.pCreateInfo ?? args.pAllocateInfo ?? args;
    if (command === "vkCreateSwapchainKHR") {
      this.#swapchains.set(out!.pSwapchain, imageInfo(args.pCreateInfo) as Fields);
    }
    for (const { name } of /^vk(Create|Allocate|Get)/.test(command) ? handleOutputs(plan) : []) {
      for (const [index, each] of namesIn(out?.[name]).entries()) {
        if (each) this.#add(each, call, Array.isArray(infos) ? infos[index] : infos);
      }
    }
    if (coreName(command) === "vkResetDescriptorPool") return this.#forget(this.#children.empty(args.descriptorPool));
    const destroyed = destroyingOf(command)?.type;
    const ended = (destroyed ? plan.parameters : []).flatMap(({ type, name }) =>
      type === destroyed ? namesIn(args[name]).filter((each) => each !== null && each !== undefined) : []
    );
    return this.#forget(ended.flatMap((each) => this.#children.remove(each)));
  }

  /** Returns the buffers and images of each device, by the device's name. */
  byDevice(): Map<string, string[]> {
    return Map.groupBy(
      this.named(/^Vk(Buffer|Image)#/),
      (name) => this.#made.get(name)!.call.args.device as string,
    );
  }

  /** Returns the living objects whose names match a pattern. */
  named(pattern: RegExp): string[] {
    return [...this.#made.keys()].filter((name) => pattern.test(name));
  }

  /** Returns the queues that the program got from a device. */
  queuesOf(device: string): string[] {
    return [...this.#made].flatMap(([name, { call }]) =>
      name.startsWith("VkQueue#") && call.args.device === device ? [name] : []
    );
  }

  /** Returns the create info of an object; `undefined` for an unknown name. */
  info(name: string | null | undefined): Fields | undefined {
    return name ? this.#made.get(name)?.info : undefined;
  }

  /** Returns the call that made an object; `undefined` for an unknown name. */
  call(name: string): RecordedCall | undefined {
    return this.#made.get(name)?.call;
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
    const { mipLevels = 1, arrayLayers = 1 } = this.image(image) ?? {};
    return {
      image,
      aspectMask,
      baseMipLevel,
      levelCount: levelCount === VK_REMAINING_MIP_LEVELS ? mipLevels - baseMipLevel : levelCount,
      baseArrayLayer,
      layerCount: layerCount === VK_REMAINING_ARRAY_LAYERS ? arrayLayers - baseArrayLayer : layerCount,
    };
  }

  #add(name: string, call: RecordedCall, info: Fields): void {
    this.#made.set(name, { call, info });
    if (name.startsWith("VkImage#")) this.#images.set(name, this.#factsOf(call, info));
    this.#children.add(name, [call.args.device, call.args.swapchain, poolIn(call.args)]);
  }

  #factsOf({ args }: RecordedCall, info: Fields): ImageFacts {
    const { samples = 1, mipLevels = 1, arrayLayers = 1, initialLayout = 0, usage = 0, format = 0, extent } =
      this.#swapchains.get(args.swapchain) ?? info;
    return { format, usage, samples, extent: extent as ImageFacts["extent"], mipLevels, arrayLayers, initialLayout };
  }

  #forget(names: readonly string[]): readonly string[] {
    for (const name of names) {
      this.#made.delete(name);
      this.#images.delete(name);
      this.#swapchains.delete(name);
    }
    return names;
  }
}
