import { levelTable, lightTable } from "./channel.ts";
import { colorSteps } from "./color.ts";
import { type ColorSpace, encodeSrgb } from "./dataspace.ts";
import type { SampleMap } from "./sample_map.ts";
import type { PixelReader, Units } from "./unpack.ts";

/** The form of written levels: 255 or 65535 at most, in rows of RGBA without gaps. */
export interface LevelRows {
  readonly data: Uint8Array | Uint16Array;
  readonly most: 255 | 65535;
}

/** Writes one row's codes, four a pixel, as levels at an index of the data. */
type RowWriter = (codes: Uint16Array, at: number) => void;

/** Reads every pixel of a picture and writes its levels; a color space is converted to sRGB. */
export function writeRows(
  from: Units,
  reader: PixelReader,
  map: SampleMap,
  to: LevelRows,
  color?: { readonly space: ColorSpace; readonly peak?: number },
): void {
  const { width, height, columns, rows } = map, codes = new Uint16Array(4 * width);
  const write = color ? coloredRow(reader, to, width, color) : plainRow(reader, to);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) reader.read(from, rows[y] + columns[x], codes, 4 * x);
    write(codes, 4 * y * width);
  }
}

function plainRow({ channels }: PixelReader, { data, most }: LevelRows): RowWriter {
  const [red, green, blue, alpha] = channels.map((channel) => levelTable(channel, most));
  return (codes, at) => {
    for (let index = 0; index < codes.length; index += 4) {
      data[at + index] = red[codes[index]];
      data[at + index + 1] = green[codes[index + 1]];
      data[at + index + 2] = blue[codes[index + 2]];
      data[at + index + 3] = alpha[codes[index + 3]];
    }
  };
}

function coloredRow(
  { channels }: PixelReader,
  { data, most }: LevelRows,
  width: number,
  { space, peak }: { space: ColorSpace; peak?: number },
): RowWriter {
  const [red, green, blue] = channels.map((channel) => lightTable(channel, space.transfer));
  const alpha = levelTable(channels[3], most), encode = encoder(most), steps = colorSteps(space, peak);
  const row = new Float32Array(4 * width);
  return (codes, at) => {
    for (let index = 0; index < codes.length; index += 4) {
      row[index] = red[codes[index]];
      row[index + 1] = green[codes[index + 1]];
      row[index + 2] = blue[codes[index + 2]];
    }
    for (const step of steps) step(row, width);
    for (let index = 0; index < codes.length; index += 4) {
      for (let channel = index; channel < index + 3; channel++) data[at + channel] = encode(row[channel]);
      data[at + index + 3] = alpha[codes[index + 3]];
    }
  };
}

let quick: Uint8Array | undefined;

/** Linear light to a level. Eight bits are looked up: 65,536 steps of light lie closer than their levels everywhere. */
function encoder(most: number): (light: number) => number {
  if (most !== 255) return (light) => Math.round(encodeSrgb(light) * most);
  const table = quick ??= Uint8Array.from({ length: 65536 }, (_, step) => Math.round(encodeSrgb(step / 65535) * 255));
  return (light) => light > 0 ? table[light >= 1 ? 65535 : light * 65535 + 0.5 | 0] : 0;
}
