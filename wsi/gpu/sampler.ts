import { checkOptions, oneOf, type OptionRules, yesOrNo } from "../../ffi/check_options.ts";
import {
  VK_FILTER_LINEAR,
  VK_FILTER_NEAREST,
  VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
  VK_SAMPLER_ADDRESS_MODE_REPEAT,
} from "../../loader/gen/enums_core_gen.js";
import type { VkSampler } from "../../loader/types.ts";
import type { Bench } from "./bench.ts";

/** Settings of a sampler. */
export interface SamplerOptions {
  /** Whether neighboring pixels are interpolated. Default `"linear"`. */
  readonly filter?: "linear" | "nearest";
  /** Whether the image is repeated outside of 0 to 1, instead of its edge. Default `false`. */
  readonly repeat?: boolean;
}

const RULES: OptionRules<SamplerOptions> = { filter: oneOf("linear", "nearest"), repeat: yesOrNo };

/** A sampler, which a shader uses together with an image. */
export interface GpuSampler {
  /** The sampler. */
  readonly sampler: VkSampler;
}

/** Makes a sampler. */
export function makeSampler({ device, owned }: Bench, options: SamplerOptions = {}): GpuSampler {
  checkOptions("sampler()", options, RULES);
  const filter = options.filter === "nearest" ? VK_FILTER_NEAREST : VK_FILTER_LINEAR;
  const mode = options.repeat ? VK_SAMPLER_ADDRESS_MODE_REPEAT : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  const sampler = device.vkCreateSampler({
    magFilter: filter,
    minFilter: filter,
    addressModeU: mode,
    addressModeV: mode,
    addressModeW: mode,
  });
  owned.defer(() => device.vkDestroySampler(sampler));
  return { sampler };
}
