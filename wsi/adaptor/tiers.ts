import type { RawCommands } from "../../loader/types.ts";
import type { RecordingDevice } from "./commands.ts";
import { DRIVER_ID, IMAGE_USAGE, TILING } from "./constants.ts";
import type { GpuFacts } from "./gpu_facts.ts";
import { canDrawIntoDmaBuf, type ImageKind, imageSupport } from "./image_support.ts";
import type { AdaptorTier } from "./options.ts";
import type { MemoryKind } from "../buffer/memory.ts";
import { memoryForTier } from "./self_test.ts";
import { VK_PHYSICAL_DEVICE_TYPE_CPU } from "../../loader/gen/native_gen.ts";

/** A tier and why it was taken. */
export interface Choice {
  readonly tier: AdaptorTier;
  readonly why: string;
  /** The kind of memory of the buffers; any kind if `undefined`. */
  readonly memory?: MemoryKind;
}

/** The chosen tier for images of a kind. */
export interface ChoiceOf extends Choice {
  readonly kind: ImageKind;
}

/** A device that knows the tiers of its images. */
export interface TieredDevice extends RecordingDevice {
  /** The tiers of images. */
  readonly tiers: Tiers;
}

/** The tiers of a device's images, found once for each kind of image. */
export class Tiers {
  readonly #device: RecordingDevice;
  readonly #choices = new Map<string, ChoiceOf | undefined>();

  /** Without choices yet. */
  constructor(device: RecordingDevice) {
    this.#device = device;
  }

  /** The tier of images of a kind; `undefined` when there can be none. */
  of(kind: ImageKind): Choice | undefined {
    const { format, usage, flags } = kind, key = `${format} ${usage} ${flags}`;
    if (!this.#choices.has(key)) {
      const choice = this.#choose({ format, usage, flags });
      this.#choices.set(key, choice && { ...choice, kind: { format, usage, flags } });
    }
    return this.#choices.get(key);
  }

  /** Whether an image for which the tier of its kind does not do may be copied instead. */
  mayFallBack(kind: ImageKind): boolean {
    const { instance, gpu, options } = this.#device;
    return !options.tier && possibleTiers(instance.commands, gpu, kind).some(({ tier }) => tier === "staging");
  }

  /** The choices so far. */
  get chosen(): readonly ChoiceOf[] {
    return [...this.#choices.values()].filter((each) => each !== undefined);
  }

  #choose(kind: ImageKind): Choice | undefined {
    const { gpu, instance, options, plan } = this.#device, possible = possibleTiers(instance.commands, gpu, kind);
    const wanted = possible.filter(({ tier }) => !options.tier || tier === options.tier);
    for (const choice of wanted) {
      if (choice.tier === "staging") return choice;
      const canImport = choice.tier === "dma-buf" ? plan.dmaBufImport : plan.hostImport;
      const memory = canImport ? memoryForTier(this.#device, kind, choice.tier) : undefined;
      if (memory) return { ...choice, memory };
      const or = choice.tier === "dma-buf" ? ", or there is neither /dev/dma_heap/system nor /dev/udmabuf" : "";
      this.#device.say(`VkFormat ${kind.format} is not drawn right on the tier "${choice.tier}" of ${gpu.name}${or}`);
    }
  }
}

/** Returns the tiers that the driver's properties allow for images of a kind, best first. */
export function possibleTiers(below: RawCommands, gpu: GpuFacts, kind: ImageKind): Choice[] {
  const choices: Choice[] = [];
  const optimal = imageSupport(below, gpu, kind, TILING.OPTIMAL),
    linear = imageSupport(below, gpu, kind, TILING.LINEAR);
  if (gpu.hostAlignment > 0) {
    // SwiftShader can share images without saying so. Other drivers are believed only if their images are rows of
    // pixels.
    if (optimal && isSoftware(gpu) && (optimal.canImport || gpu.driverId === DRIVER_ID.SWIFTSHADER)) {
      choices.push({ tier: "optimal", why: `${gpu.name} has optimal images as rows of pixels, in imported memory` });
    }
    if (linear?.canImport && !hangs(gpu, kind)) {
      choices.push({ tier: "linear", why: `${gpu.name} has linear images in imported memory` });
    }
  }
  if (canDrawIntoDmaBuf(below, gpu, kind) && !hangs(gpu, kind)) {
    choices.push({ tier: "dma-buf", why: `${gpu.name} imports dma-bufs as rows of pixels` });
  }
  const copied = { ...kind, usage: kind.usage | IMAGE_USAGE.TRANSFER_SRC };
  if (optimal && imageSupport(below, gpu, copied, TILING.OPTIMAL)) {
    choices.push({ tier: "staging", why: `${gpu.name} has such images in its own memory` });
  }
  return choices;
}

/** Other drivers' optimal images are tiles, and may end the process when they are put into imported memory. */
function isSoftware({ type, driverId }: GpuFacts): boolean {
  return type === VK_PHYSICAL_DEVICE_TYPE_CPU || driverId === DRIVER_ID.SWIFTSHADER || driverId === DRIVER_ID.LLVMPIPE;
}

/** NVIDIA's GPUs hang when they draw into a linear image beside a depth buffer, although the driver offers both. */
function hangs({ driverId }: GpuFacts, { usage }: ImageKind): boolean {
  return driverId === DRIVER_ID.NVIDIA && (usage & IMAGE_USAGE.COLOR_ATTACHMENT) !== 0;
}
