import { decode, encode } from "fast-png";
import pixelmatch from "pixelmatch";

/** An 8-bit RGBA image. */
export interface Image {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Four bytes a pixel, rows from the top. */
  readonly data: Uint8Array;
}

/** The distance of two images of one size. */
export interface Difference {
  /** The mean difference of a channel, 0 to 255. */
  readonly mean: number;
  /** The share of pixels with a channel off by more than 8, 0 to 1. */
  readonly off: number;
}

/** Reads an 8-bit RGBA PNG file. */
export function readPng(path: string): Image {
  const { width, height, data, channels, depth } = decode(Deno.readFileSync(path));
  if (channels !== 4 || depth !== 8) throw new TypeError(`${path}: found ${channels} channels of ${depth} bits`);
  return { width, height, data: data as Uint8Array };
}

/** Compares two images. Throws a `TypeError` when their sizes differ. */
export function difference(one: Image, other: Image): Difference {
  if (one.width !== other.width || one.height !== other.height) {
    throw new TypeError(
      `Cannot compare ${one.width}×${one.height} with ${other.width}×${other.height}: give images of one size`,
    );
  }
  let sum = 0, off = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    let most = 0;
    for (let channel = at; channel < at + 4; channel++) {
      const apart = Math.abs(one.data[channel] - other.data[channel]);
      sum += apart;
      if (apart > most) most = apart;
    }
    if (most > 8) off++;
  }
  return { mean: sum / one.data.length, off: off / (one.width * one.height) };
}

/** Writes a PNG that shows where two images differ. */
export function writeDifference(path: string, one: Image, other: Image): void {
  const { width, height } = one, data = new Uint8Array(4 * width * height);
  pixelmatch(one.data, other.data, data, width, height, { threshold: 0.05 });
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeFileSync(path, encode({ width, height, data, channels: 4 }));
}
