import type { Gpu } from "../../../examples/draw/gpu.ts";
import { makeOffscreen, type OffscreenOptions } from "../../../examples/spin/offscreen.ts";
import type { VkColorSpaceKHR, VkFormat } from "../../../loader/vk.ts";
import { convertPixels } from "../../../wsi/consumer/pixels/convert.ts";
import { pixelFormatOf } from "../../../wsi/buffer/hal_format.ts";
import { halFormat } from "../../../wsi/swapchain/surface_formats.ts";
import type { Sight } from "./witness.ts";

/** The picture that is compared with the shown one. */
export interface Reference {
  readonly extent: { readonly width: number; readonly height: number };
  readonly format: VkFormat;
  readonly colorSpace?: VkColorSpaceKHR;
}

/** Compares frames that were shown with the same frames drawn off-screen on the same device. */
export interface Comparison extends Disposable {
  /** The number of frames that were compared. */
  readonly compared: number;
  /** The number of those with a byte that differs. */
  readonly different: number;
  /** Compares one more. */
  check(sight: Sight): void;
}

/** Makes the off-screen side. */
export function makeComparison(gpu: Gpu, reference: Reference): Comparison {
  const bytesPerPixel = pixelFormatOf(reference.format)?.bytesPerPixel ?? 4;
  const options: OffscreenOptions = { ...reference, bytesPerPixel, numbered: true };
  const offscreen = makeOffscreen(gpu, options), { width, height } = reference.extent;
  let compared = 0, different = 0;
  const rgba = (bytes: Uint8Array) => {
    const format = halFormat(reference.format);
    return convertPixels({ bytes, width, height, rowPitch: bytesPerPixel * width, format }).data;
  };
  return {
    get compared() {
      return compared;
    },
    get different() {
      return different;
    },
    check({ number, pixels, kind }) {
      const drawn = offscreen.draw(number), wanted = kind === "raw" ? drawn : rgba(drawn);
      compared++;
      if (!isSame(pixels, wanted, kind === "rgb")) different++;
    },
    [Symbol.dispose]: () => offscreen[Symbol.dispose](),
  };
}

function isSame(one: Uint8Array, other: Uint8Array, skipsAlpha: boolean): boolean {
  return one.length === other.length &&
    one.every((byte, index) => byte === other[index] || skipsAlpha && index % 4 === 3);
}
