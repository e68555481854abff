import { TOLERANCE } from "./options.ts";
import { checkOptions, type OptionRules, text } from "../../ffi/check_options.ts";
import type { VkCommandBuffer, VkImageLayout } from "../../loader/types.ts";
import { type GpuBuffer, makeBuffer } from "./buffer.ts";
import { compute, type ComputeOptions } from "./compute.ts";
import type { OpenedDevice } from "./device.ts";
import { draw, type DrawOptions } from "./draw.ts";
import { compareWithGolden, type GoldenPlace } from "./golden.ts";
import { changeLayout, type GpuImage, type ImageOptions, makeImage } from "./image.ts";
import type { Tolerance } from "./options.ts";
import type { Picture } from "./picture.ts";
import { slug } from "./slug.ts";
import { submit } from "./submit.ts";
import type { Workbench } from "./workbench.ts";

/** What a golden picture may be told. */
export interface GoldenOptions extends Tolerance {
  /** The file's name without `.png`. Default: made from the test's name; a test with several pictures names them. */
  readonly name?: string;
}

const GOLDEN: OptionRules<GoldenOptions> = {
  ...TOLERANCE,
  name: text("a name"),
};

/**
 * What a test gets: a device, and what most tests do with it. Whatever these
 * functions make lives as long as the test and is then destroyed, before the
 * device. What a test makes by itself it destroys, or gives to `owned`.
 */
export interface GpuTestContext extends OpenedDevice {
  /** The driver's name. */
  readonly driver: string;
  /** Destroyed with the test, last given first. */
  readonly owned: DisposableStack;
  /** Makes a buffer of a size in bytes, or with these contents, that the processor sees and shaders use. */
  buffer(contents: number | ArrayBufferView, usage?: number): GpuBuffer;
  /** Makes an image to draw into, to sample and to read. */
  image(options: ImageOptions): GpuImage;
  /** Milliseconds the device has worked so far on what the functions here gave it; `undefined` where its queue has no timestamps. */
  deviceTime(): number | undefined;
  /** Records commands, runs them and waits until they are done. */
  submit(record: (commands: VkCommandBuffer) => void): void;
  /** Runs a compute shader over storage buffers. */
  compute(options: ComputeOptions): void;
  /** Draws with a pair of shaders. */
  draw(options: DrawOptions): void;
  /** Reads an image of four bytes a pixel, as RGBA. */
  pixels(image: GpuImage): Picture;
  /**
   * Compares an image, or a picture, with its golden file. With
   * PUMICE_UPDATE_GOLDENS=1 the file is written instead.
   *
   * @throws {Error} when it does not match; the message names the picture, and the one of the difference.
   */
  golden(picture: GpuImage | Picture, options?: GoldenOptions): void;
}

/** Puts the functions around a device. */
export function makeContext(bench: Workbench, place: GoldenPlace, test: string, tolerance?: Tolerance): GpuTestContext {
  const { clock, ...opened } = bench;
  const pixels = (image: GpuImage) => readPixels(bench, image);
  return {
    ...opened,
    driver: place.driver,
    deviceTime: () => clock.milliseconds,
    buffer: (contents, usage) => makeBuffer(bench, contents, usage),
    image: (options) => makeImage(bench, options),
    submit: (record) => submit(bench, record),
    compute: (options) => compute(bench, options),
    draw: (options) => draw(bench, options),
    pixels,
    golden(picture, options = {}) {
      checkOptions("golden()", options, GOLDEN);
      const { name = slug(test), ...own } = options;
      compareWithGolden(place, name, "data" in picture ? picture : pixels(picture), { ...tolerance, ...own });
    },
  };
}

/** VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL; VK_FORMAT_R8G8B8A8_UNORM and _SRGB, B8G8R8A8_UNORM and _SRGB */
const TRANSFER_SRC = 6 as VkImageLayout, RGBA = [37, 43], BGRA = [44, 50];
/** VK_BUFFER_USAGE_TRANSFER_DST_BIT; VK_IMAGE_ASPECT_COLOR_BIT */
const TRANSFER_DST = 2, COLOR = 1;

/**
 * Reads an image of four bytes a pixel, RGBA or BGRA, as RGBA. Its layout is
 * VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL afterwards.
 *
 * @throws {TypeError} for another format.
 */
function readPixels(bench: Workbench, image: GpuImage): Picture {
  const { width, height, format } = image, isSwapped = BGRA.includes(format);
  if (!isSwapped && !RGBA.includes(format)) {
    throw new TypeError(
      `Cannot read pixels of format ${format}: copy them to an image of VK_FORMAT_R8G8B8A8_UNORM first`,
    );
  }
  const { buffer, bytes } = makeBuffer(bench, 4 * width * height, TRANSFER_DST);
  submit(bench, (commands) => {
    changeLayout(commands, image, TRANSFER_SRC);
    const imageSubresource = { aspectMask: COLOR, layerCount: 1 }, imageExtent = { width, height, depth: 1 };
    commands.vkCmdCopyImageToBuffer(image.image, TRANSFER_SRC, buffer, [{ imageSubresource, imageExtent }]);
  });
  const data = bytes.slice();
  if (isSwapped) { for (let at = 0; at < data.length; at += 4) [data[at], data[at + 2]] = [data[at + 2], data[at]]; }
  return { width, height, data };
}
