import type { Channel } from "./channel.ts";
import { FORMAT } from "../../android_values.ts";

/** A view of a buffer's memory in units of the format. */
export type Units = Uint8Array | Uint16Array | Uint32Array;

/** A reader of a format's pixels. */
export interface PixelReader {
  /** Bytes of a pixel. */
  readonly bytesPerPixel: number;
  /** Bytes of the units that a pixel is read in. */
  readonly unit: 1 | 2 | 4;
  /** Red, green, blue and alpha; a channel the format lacks has 1 bit and is always 0, alpha always 1. */
  readonly channels: readonly [Channel, Channel, Channel, Channel];
  /** Writes the codes of a pixel, given by the index of its first unit. */
  read(from: Units, index: number, to: Uint16Array, at: number): void;
}

const EIGHT = [8, 8, 8, 8] as const;

/** The readers by HAL_PIXEL_FORMAT value. */
const READERS: Readonly<Record<number, PixelReader>> = {
  [FORMAT.RGBA_8888]: { bytesPerPixel: 4, unit: 1, channels: EIGHT, read: (from, i, to, at) => four(from, i, to, at) },
  [FORMAT.RGBX_8888]: {
    bytesPerPixel: 4,
    unit: 1,
    channels: [8, 8, 8, 1],
    read: (from, i, to, at) => codes(to, at, from[i], from[i + 1], from[i + 2], 1),
  },
  [FORMAT.RGB_888]: {
    bytesPerPixel: 3,
    unit: 1,
    channels: [8, 8, 8, 1],
    read: (from, i, to, at) => codes(to, at, from[i], from[i + 1], from[i + 2], 1),
  },
  [FORMAT.RGB_565]: {
    bytesPerPixel: 2,
    unit: 2,
    channels: [5, 6, 5, 1],
    read: (from, i, to, at) => codes(to, at, from[i] >> 11, from[i] >> 5 & 63, from[i] & 31, 1),
  },
  [FORMAT.BGRA_8888]: {
    bytesPerPixel: 4,
    unit: 1,
    channels: EIGHT,
    read: (from, i, to, at) => codes(to, at, from[i + 2], from[i + 1], from[i], from[i + 3]),
  },
  [FORMAT.RGBA_FP16]: {
    bytesPerPixel: 8,
    unit: 2,
    channels: ["half", "half", "half", "half"],
    read: (from, i, to, at) => four(from, i, to, at),
  },
  [FORMAT.RGBA_1010102]: {
    bytesPerPixel: 4,
    unit: 4,
    channels: [10, 10, 10, 2],
    read: (from, i, to, at) =>
      codes(to, at, from[i] & 1023, from[i] >> 10 & 1023, from[i] >> 20 & 1023, from[i] >>> 30),
  },
  [FORMAT.R_8]: {
    bytesPerPixel: 1,
    unit: 1,
    channels: [8, 1, 1, 1],
    read: (from, i, to, at) => codes(to, at, from[i], 0, 0, 1),
  },
  // Ten bits at the top of sixteen.
  [FORMAT.RGBA_10101010]: {
    bytesPerPixel: 8,
    unit: 2,
    channels: [10, 10, 10, 10],
    read: (from, i, to, at) => codes(to, at, from[i] >> 6, from[i + 1] >> 6, from[i + 2] >> 6, from[i + 3] >> 6),
  },
};

/** Returns the reader of a HAL_PIXEL_FORMAT; `undefined` for a format without RGB pixels. */
export function pixelReaderOf(format: number): PixelReader | undefined {
  return READERS[format];
}

/** Whether a format has channels of more than 8 bits. */
export function isDeep(format: number): boolean {
  return READERS[format]?.channels.some((channel) => channel === "half" || channel > 8) ?? false;
}

function four(from: Units, index: number, to: Uint16Array, at: number): void {
  codes(to, at, from[index], from[index + 1], from[index + 2], from[index + 3]);
}

function codes(to: Uint16Array, at: number, red: number, green: number, blue: number, alpha: number): void {
  to[at] = red;
  to[at + 1] = green;
  to[at + 2] = blue;
  to[at + 3] = alpha;
}
