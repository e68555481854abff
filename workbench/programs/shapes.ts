import { VK_FORMAT_R32_UINT } from "../../loader/gen/enums_core_gen.js";
import { FEATURE, USAGE } from "./bits.ts";
import { chance, pick } from "./choices.ts";
import { type Format, isBlock, isColor } from "./formats.ts";
import type { Draft } from "./draft.ts";
import type { Shape } from "./resources.ts";

/** Chooses the shape of a new image. */
export function newShape({ choices }: Draft, format: Format, wanted: Partial<Shape>): Shape {
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
export function usageOf(draft: Draft, format: Format, { type, samples }: Shape): number {
  const attachments = (draft.can(format, FEATURE.color) ? USAGE.color : 0) |
    (draft.can(format, FEATURE.depthStencil) ? USAGE.depthStencil : 0);
  if (samples > 1) return USAGE.transfers | attachments;
  const shaders = (draft.can(format, FEATURE.sampled) ? USAGE.sampled : 0) |
    (format.value === VK_FORMAT_R32_UINT && draft.can(format, FEATURE.storage) ? USAGE.storage : 0);
  return USAGE.transfers | shaders | (type === 1 ? attachments : 0);
}
