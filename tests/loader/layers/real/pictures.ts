import { decode } from "fast-png";
import { type Image, readPng } from "../../../support/image.ts";

/** The pictures of a program and of its window. */
export interface Pictures {
  /** The picture that was drawn last. */
  readonly drawn: Image;
  /** The picture in the window. */
  readonly shown: Image;
}

/** Reads what a program left in its folder. */
export function readPictures(folder: string): Pictures {
  return { drawn: readPng(`${folder}/drawn.png`), shown: readPng(`${folder}/shown.png`) };
}

/** The smallest area with all pixels that differ: left, top, right and bottom, the last two inclusive; none when all are equal. */
export function changedArea({ drawn, shown }: Pictures): [number, number, number, number] | undefined {
  const { width, height } = drawn, at: [number, number][] = [];
  for (let pixel = 0; pixel < width * height; pixel++) {
    const differs = [0, 1, 2].some((channel) => drawn.data[4 * pixel + channel] !== shown.data[4 * pixel + channel]);
    if (differs) at.push([pixel % width, Math.floor(pixel / width)]);
  }
  if (at.length === 0) return undefined;
  const [x, y] = [0, 1].map((axis) => at.map((point) => point[axis]).sort((one, other) => one - other));
  return [x[0], y[0], x.at(-1)!, y.at(-1)!];
}

/** The number of pixels that are exactly of a colour. */
export function countOf({ data }: Image, [red, green, blue]: readonly number[]): number {
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count++;
  }
  return count;
}

/** The colours of an image, three bytes a pixel. */
export function colours({ data }: Image): Uint8Array {
  return data.filter((_, index) => index % 4 !== 3);
}

/** The colours of a PNG file without transparency, rows from the top. */
export function readPngColours(path: string): Uint8Array {
  const { data, channels } = decode(Deno.readFileSync(path));
  if (channels !== 3) throw new TypeError(`${path}: found ${channels} channels`);
  return data as Uint8Array;
}

/** The colours of a BMP file of 32 bits a pixel, rows from the top. */
export function readBmpColours(path: string): Uint8Array {
  const bytes = Deno.readFileSync(path), view = new DataView(bytes.buffer);
  const [start, width, height, bits] = [view.getUint32(10, true), view.getInt32(18, true), view.getInt32(22, true)]
    .concat(view.getUint16(28, true));
  if (bits !== 32) throw new TypeError(`${path}: found ${bits} bits a pixel`);
  const rows = Array.from({ length: Math.abs(height) }, (_, row) => height < 0 ? row : height - 1 - row);
  return Uint8Array.from(rows.flatMap((row) => {
    const pixels = Array.from({ length: width }, (_, x) => start + 4 * (row * width + x));
    return pixels.flatMap((at) => [bytes[at + 2], bytes[at + 1], bytes[at]]);
  }));
}
