import type { Rect } from "../contract/window.ts";
import type { Frame } from "../contract/frame_consumer.ts";
import {
  type ConvertOptions,
  convertPixels,
  convertPixels16,
  type Picture,
  type PixelSource,
} from "./pixels/convert.ts";
import { ROT_90, visiblePart } from "./pixels/sample_map.ts";

/** A frame as a script looks at it, as long as it is held: then its pixels are the producer's again. */
export class FrameView {
  /** Counts from 1. */
  readonly number: number;
  /** Pixels in a row of the buffer, before the transform. */
  readonly width: number;
  /** Rows of the buffer, before the transform. */
  readonly height: number;
  /** Pixels from one row to the next. */
  readonly stride: number;
  /** Bytes from one row to the next. */
  readonly rowPitch: number;
  /** HAL_PIXEL_FORMAT value. */
  readonly format: number;
  /** `android_dataspace`. */
  readonly dataspace: number;
  /** NATIVE_WINDOW_TRANSFORM_… bits to show it by. */
  readonly transform: number;
  /** The part of the buffer to show. */
  readonly crop: Rect;
  /** When it is wanted on the display, CLOCK_MONOTONIC nanoseconds. */
  readonly timestamp: bigint;
  /** What changed since the frame before; empty for everything. */
  readonly damage: readonly Rect[];
  #frame: Frame | undefined;
  #pixels: Uint8Array | undefined;

  /** Looks at a frame, which stays its owner's. */
  constructor(frame: Frame) {
    const { buffer } = frame;
    this.number = Number(frame.number);
    ({ width: this.width, height: this.height, stride: this.stride, rowPitch: this.rowPitch } = buffer);
    this.format = buffer.format;
    ({ dataspace: this.dataspace, transform: this.transform, crop: this.crop } = frame);
    ({ timestamp: this.timestamp, damage: this.damage } = frame);
    this.#frame = frame;
  }

  /** The buffer's memory, not copied: rows from the top, {@linkcode FrameView.rowPitch} bytes apart. Throws when the frame is over. */
  get pixels(): Uint8Array {
    if (!this.#frame) {
      const message =
        `Cannot read frame ${this.number}: it is over; read it in the callback, or return a Promise to keep it`;
      throw new TypeError(message);
    }
    return this.#pixels ??= this.#frame.buffer.lock();
  }

  /** Size of the picture as it is to be shown: cropped and turned. */
  get shownSize(): { width: number; height: number } {
    const { left, top, right, bottom } = visiblePart(this.width, this.height, this.crop);
    const [across, down] = [right - left, bottom - top];
    return this.transform & ROT_90 ? { width: down, height: across } : { width: across, height: down };
  }

  /** The picture as it is to be shown, cropped, transformed and in 8-bit sRGB: a copy of its own, which stays. See {@linkcode convertPixels}. */
  toRgba(options?: ConvertOptions): Picture {
    return convertPixels(this.#source(), options);
  }

  /** The same with 16 bits a channel, for formats of more than 8. */
  toRgba16(): Picture<Uint16Array<ArrayBuffer>> {
    return convertPixels16(this.#source());
  }

  /** Ends it: its pixels cannot be read any more. For whoever made it. */
  end(): void {
    if (this.#pixels) this.#frame?.buffer.unlock();
    this.#frame = this.#pixels = undefined;
  }

  #source(): PixelSource {
    const bytes = this.pixels, { width, height, rowPitch, format, dataspace, transform, crop } = this;
    const peak = this.#frame!.smpte2086?.maxLuminance || undefined;
    return { bytes, width, height, rowPitch, format, dataspace, transform, crop, peak };
  }
}
