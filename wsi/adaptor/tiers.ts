import type { AdaptorDevice } from "./adaptor_device.ts";
import { IMAGE_USAGE, TILING } from "./constants.ts";
import type { GpuFacts } from "./gpu_facts.ts";
import { type ImageKind, imageSupport } from "./image_support.ts";
import type { Tier } from "./options.ts";
import type { RawCommands } from "../../loader/types.ts";

/** VK_PHYSICAL_DEVICE_TYPE_CPU. */
const CPU = 4;
/** VK_DRIVER_ID_GOOGLE_SWIFTSHADER and VK_DRIVER_ID_MESA_LLVMPIPE. */
const SWIFTSHADER = 10, LLVMPIPE = 13;

/** A tier and why it was taken. */
export interface Choice {
  readonly tier: Tier;
  readonly why: string;
}

/** Which tier the images of a device are on, found once for each kind of image. */
export class Tiers {
  readonly #device: AdaptorDevice;
  readonly #choices = new Map<string, Choice | undefined>();

  /** Without choices yet. */
  constructor(device: AdaptorDevice) {
    this.#device = device;
  }

  /** The tier of images of a kind; `undefined` when there can be none. */
  of(kind: ImageKind): Choice | undefined {
    const key = `${kind.format} ${kind.usage} ${kind.flags}`;
    if (!this.#choices.has(key)) this.#choices.set(key, this.#choose(kind));
    return this.#choices.get(key);
  }

  #choose(kind: ImageKind): Choice | undefined {
    const { gpu, instance, options } = this.#device;
    const possible = possibleTiers(instance.commands, gpu, kind).filter(({ tier }) =>
      tier === "staging" || this.#device.plan.hostImport
    );
    return options.tier ? possible.find(({ tier }) => tier === options.tier) : possible[0];
  }
}

/** The tiers that images of a kind may be on by what the driver says of itself, best first. */
export function possibleTiers(below: RawCommands, gpu: GpuFacts, kind: ImageKind): Choice[] {
  const choices: Choice[] = [];
  const optimal = imageSupport(below, gpu, kind, TILING.OPTIMAL),
    linear = imageSupport(below, gpu, kind, TILING.LINEAR);
  if (gpu.hostAlignment > 0) {
    // SwiftShader does not say that it can, and can. Others are believed only if their images are rows of pixels.
    if (optimal && isSoftware(gpu) && (optimal.canImport || gpu.driverId === SWIFTSHADER)) {
      choices.push({ tier: "optimal", why: `${gpu.name} draws optimal images as rows of pixels` });
    }
    if (linear?.canImport) choices.push({ tier: "linear", why: `${gpu.name} draws linear images in imported memory` });
  }
  const copied = { ...kind, usage: kind.usage | IMAGE_USAGE.TRANSFER_SRC };
  if (optimal && imageSupport(below, gpu, copied, TILING.OPTIMAL)) {
    choices.push({ tier: "staging", why: `${gpu.name} cannot draw such images in imported memory` });
  }
  return choices;
}

function isSoftware({ type, driverId }: GpuFacts): boolean {
  return type === CPU || driverId === SWIFTSHADER || driverId === LLVMPIPE;
}
