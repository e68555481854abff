import { type HalFormat, halFormatsOfVk } from "../buffer/hal_format.ts";

/** VkFormats of depth and stencil, and of 4:2:2 pixels that share bytes. */
const DEPTH = { first: 124, last: 130 } as const, SUBSAMPLED = 1000156000;

/** Returns the gralloc formats with one colour plane whose bytes images of a VkFormat have, the most common first. */
export function colorFormatsOf(vkFormat: number): readonly HalFormat[] {
  if (vkFormat >= DEPTH.first && vkFormat <= DEPTH.last || vkFormat === SUBSAMPLED) return [];
  return halFormatsOfVk(vkFormat).filter(({ planes, arrangement }) => planes === 1 && arrangement === "packed");
}
