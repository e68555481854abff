import type { VkCommandBuffer } from "../../loader/types.ts";
import type { Picture } from "../consumer/pixels/convert.ts";
import type { Bench } from "./bench.ts";
import { type GpuBuffer, makeBuffer } from "./buffer.ts";
import { compute, type ComputeOptions } from "./compute.ts";
import type { OpenedDevice } from "./device.ts";
import { draw, type DrawOptions } from "./draw.ts";
import { type GpuImage, type GpuImageOptions, makeImage } from "./image.ts";
import { readPixels } from "./pixels.ts";
import { type GpuSampler, makeSampler, type SamplerOptions } from "./sampler.ts";
import { submit } from "./submit.ts";

/**
 * A device, and functions for the usual tasks of programs. Buffers, images and samplers that these functions make live
 * until the device is closed. A program destroys the objects that it makes with the device's own commands, or gives
 * them to `owned`.
 */
export interface GpuTools extends OpenedDevice {
  /** Disposed of before the device, in reverse order. */
  readonly owned: DisposableStack;
  /**
   * Makes a buffer of a size in bytes, or with these contents, that the
   * processor sees and shaders use.
   *
   * @param usage VK_BUFFER_USAGE_… bits. Default: everything of Vulkan 1.0 but texel buffers.
   */
  buffer(contents: number | ArrayBufferView, usage?: number): GpuBuffer;
  /** Makes an image to draw into, to sample and to read. */
  image(options: GpuImageOptions): GpuImage;
  /** Makes a sampler. */
  sampler(options?: SamplerOptions): GpuSampler;
  /** Milliseconds that the device has worked so far for these functions; `undefined` if its queue has no timestamps. */
  deviceTime(): number | undefined;
  /** Records commands, runs them and waits until they are finished. */
  submit(record: (commands: VkCommandBuffer) => void): void;
  /** Runs a compute shader and waits until it is finished. */
  compute(options: ComputeOptions): void;
  /** Draws with a pair of shaders and waits until the drawing is finished. */
  draw(options: DrawOptions): void;
  /** Reads an image with four bytes in each pixel, as RGBA, rows from the top. */
  pixels(image: GpuImage): Picture<Uint8Array>;
}

/** Makes the functions around a device. */
export function makeTools(bench: Bench): GpuTools {
  const { clock, ...opened } = bench;
  return {
    ...opened,
    deviceTime: () => clock.milliseconds,
    buffer: (contents, usage) => makeBuffer(bench, contents, usage),
    image: (options) => makeImage(bench, options),
    sampler: (options) => makeSampler(bench, options),
    submit: (record) => submit(bench, record),
    compute: (options) => compute(bench, options),
    draw: (options) => draw(bench, options),
    pixels: (image) => readPixels(bench, image),
  };
}
