import { levelTable, lightTable } from "./channel.ts";
import { type ColorSpace, encodeSrgb, type Gamut, HLG_PEAK, REFERENCE_WHITE } from "./dataspace.ts";
import type { SampleMap } from "./sample_map.ts";
import type { PixelReader, Units } from "./unpack.ts";

/** Turns linear red, green and blue in a row of RGBA, so many pixels, into linear sRGB light, in place. */
type ColorStep = (row: Float32Array, pixels: number) => void;

const HLG_GAMMA = 1.2;

/**
 * The steps from a color space's linear light to sRGB's. HDR light is tone
 * mapped ({@linkcode toneCurve}); the peak is the picture's greatest
 * brightness, cd/m². The encoder has to clamp values outside of sRGB.
 */
function colorSteps({ gamut, transfer }: ColorSpace, peak?: number): ColorStep[] {
  const steps: ColorStep[] = [], matrix = matrixToSrgb(gamut);
  if (transfer === "hlg") steps.push(showHlg);
  if (matrix) steps.push((row, pixels) => multiply(row, pixels, matrix));
  const hdr = transfer === "hlg" || transfer === "pq";
  if (hdr) steps.push(mapTones(toneCurve(transfer === "hlg" ? HLG_PEAK : peak)));
  return steps;
}

function multiply(row: Float32Array, pixels: number, m: Matrix): void {
  for (let at = 0, end = 4 * pixels; at < end; at += 4) {
    const red = row[at], green = row[at + 1], blue = row[at + 2];
    row[at] = m[0] * red + m[1] * green + m[2] * blue;
    row[at + 1] = m[3] * red + m[4] * green + m[5] * blue;
    row[at + 2] = m[6] * red + m[7] * green + m[8] * blue;
  }
}

/** BT.2100's OOTF: the scene's light to the display's, which depends on the luminance of all three. */
function showHlg(row: Float32Array, pixels: number): void {
  const white = HLG_PEAK / REFERENCE_WHITE;
  for (let at = 0, end = 4 * pixels; at < end; at += 4) {
    const luminance = 0.2627 * row[at] + 0.678 * row[at + 1] + 0.0593 * row[at + 2];
    const gain = luminance > 0 ? white * luminance ** (HLG_GAMMA - 1) : 0;
    row[at] *= gain;
    row[at + 1] *= gain;
    row[at + 2] *= gain;
  }
}

function mapTones(curve: (light: number) => number): ColorStep {
  return (row, pixels) => {
    for (let at = 0, end = 4 * pixels; at < end; at += 4) {
      const most = Math.max(row[at], row[at + 1], row[at + 2]);
      if (!(most > 0)) continue;
      const gain = curve(most) / most;
      if (gain === 1) continue;
      row[at] *= gain;
      row[at + 1] *= gain;
      row[at + 2] *= gain;
    }
  };
}

/** Rows of a matrix that turns linear red, green and blue into BT.709's. */
type Matrix = readonly [number, number, number, number, number, number, number, number, number];

/** From the chromaticities of both, with D65 (0.3127, 0.3290) for white. */
const TO_BT709: Readonly<Record<Gamut, Matrix | undefined>> = {
  bt709: undefined,
  p3: [1.2249402, -0.2249402, 0, -0.0420570, 1.0420570, 0, -0.0196376, -0.0786361, 1.0982736],
  bt2020: [1.6604910, -0.5876411, -0.0728499, -0.1245505, 1.1328999, -0.0083494, -0.0181508, -0.1005789, 1.1187297],
  "adobe-rgb": [1.3983557, -0.3983557, 0, 0, 1, 0, 0, -0.0429290, 1.0429290],
};

/** The matrix from a gamut to sRGB's; `undefined` when it is the same. */
function matrixToSrgb(gamut: Gamut): Matrix | undefined {
  return TO_BT709[gamut];
}

/** Light below this share of white is shown unchanged. */
const KNEE = 0.75;
/** The assumed peak of PQ pictures without a peak, in cd/m². */
const USUAL_PEAK = 1000;

/**
 * A curve that brings HDR light (1 is white, REFERENCE_WHITE cd/m²) into 0 to
 * 1. The curve is straight up to 3/4; above, it is an extended Reinhard curve
 * that begins with the same slope and reaches 1 at the picture's peak, cd/m².
 * Apply the curve to the brightest channel and scale the others with it, so
 * that hues stay.
 */
function toneCurve(peak: number = USUAL_PEAK): (light: number) => number {
  const room = 1 - KNEE, most = (peak / REFERENCE_WHITE - KNEE) / room;
  if (!(most > 1)) return (light) => Math.min(light, 1);
  return (light) => {
    if (light <= KNEE) return light;
    const over = Math.min((light - KNEE) / room, most);
    return KNEE + room * over * (1 + over / (most * most)) / (1 + over);
  };
}

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
