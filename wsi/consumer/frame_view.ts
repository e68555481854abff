import type { Rect } from "../contract/window.ts";
import type { Frame } from "../contract/frame_consumer.ts";
import {
  type ConvertOptions,
  convertPixels,
  convertPixels16,
  type Picture,
  type PixelSource,
} from "./pixels/convert.ts";
import { visiblePart } from "./pixels/sample_map.ts";
import { TRANSFORM } from "../android_values.ts";

/** A frame for a script, valid while the script holds the frame; afterwards the pixels belong to the producer again. */
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
  /** The time at which the frame is to be on the display, in CLOCK_MONOTONIC nanoseconds. */
  readonly timestamp: bigint;
  /** The parts that changed since the previous frame; empty for everything. */
  readonly damage: readonly Rect[];
  #frame: Frame | undefined;
  #pixels: Uint8Array | undefined;

  /** Views a frame; the frame's owner keeps the frame. */
  constructor(frame: Frame) {
    const { buffer } = frame;
    this.number = Number(frame.number);
    ({ width: this.width, height: this.height, stride: this.stride, rowPitch: this.rowPitch } = buffer);
    this.format = buffer.format;
    ({ dataspace: this.dataspace, transform: this.transform, crop: this.crop } = frame);
    ({ timestamp: this.timestamp, damage: this.damage } = frame);
    this.#frame = frame;
  }

  /**
   * The buffer's memory, not a copy: rows from the top, {@linkcode FrameView.rowPitch} bytes apart. Throws when the
   * script no longer holds the frame.
   */
  get pixels(): Uint8Array {
    if (!this.#frame) {
      const message =
        `Cannot read frame ${this.number}: it is over; read it in the callback, or return a Promise to keep it`;
      throw new TypeError(message);
    }
    return this.#pixels ??= this.#frame.buffer.lock();
  }

  /** Size of the displayed picture, after crop and transform. */
  get shownSize(): { width: number; height: number } {
    const { left, top, right, bottom } = visiblePart(this.width, this.height, this.crop);
    const [across, down] = [right - left, bottom - top];
    return this.transform & TRANSFORM.ROT_90 ? { width: down, height: across } : { width: across, height: down };
  }

  /**
   * Returns the displayed picture in 8-bit sRGB, cropped and transformed. The picture is a copy and stays valid. See
   * {@linkcode convertPixels}.
   */
  toRgba(options?: ConvertOptions): Picture {
    return convertPixels(this.#source(), options);
  }

  /** Like {@linkcode FrameView.toRgba} with 16 bits a channel, for formats with more than 8 bits. */
  toRgba16(): Picture<Uint16Array<ArrayBuffer>> {
    return convertPixels16(this.#source());
  }

  /** Ends the view: its pixels can no longer be read. Only the view's creator calls this function. */
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
