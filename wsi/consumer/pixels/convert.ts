import { checkOptions, object, oneOf, type OptionRules } from "../../../ffi/check_options.ts";
import { pixelFormatOfHal } from "../../buffer/hal_format.ts";
import type { Rect } from "../../contract/window.ts";
import { colorSpaceOf } from "./dataspace.ts";
import { writeRows } from "./rows.ts";
import { type SampleMap, sampleMap } from "./sample_map.ts";
import { pixelReaderOf, type Units } from "./unpack.ts";
import { DATASPACE, FORMAT } from "../../android_values.ts";

/** The pixels of a buffer. */
export interface PixelSource {
  /** The buffer's memory from the first row. */
  readonly bytes: Uint8Array;
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Bytes from one row to the next. */
  readonly rowPitch: number;
  /** HAL_PIXEL_FORMAT value. */
  readonly format: number;
  /** `android_dataspace`. Default 0: no conversion. */
  readonly dataspace?: number;
  /** NATIVE_WINDOW_TRANSFORM_… bits. Default none. */
  readonly transform?: number;
  /** The part to show, before the transform. Default, and for an empty rectangle: the whole picture. */
  readonly crop?: Rect;
  /** Peak luminance of a PQ picture in cd/m². Default 1000. */
  readonly peak?: number;
}

/** Size, order and target of the result. */
export interface ConvertOptions {
  /** Size after the transform; the picture is scaled with the nearest pixels. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Order of a pixel's bytes in memory. Default `"rgba"`. */
  readonly order?: "rgba" | "bgra";
  /** The target memory, aligned to four bytes. Default: a new array. */
  readonly into?: Uint8Array<ArrayBuffer>;
}

const RULES: OptionRules<ConvertOptions> = {
  size: object("an object of width and height"),
  order: oneOf("rgba", "bgra"),
  into: (value) => value instanceof Uint8Array ? undefined : "a Uint8Array",
};

/** A picture: rows from the top, four channels a pixel, nothing between rows. */
export interface Picture<Data extends Uint8Array | Uint16Array = Uint8Array<ArrayBuffer>> {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Red, green, blue and alpha of each pixel. */
  readonly data: Data;
}

/** The formats whose pixels are four bytes, one a channel. */
const BYTES: readonly number[] = [FORMAT.RGBA_8888, FORMAT.RGBX_8888, FORMAT.BGRA_8888];

/**
 * Converts pixels to 8-bit sRGB, the format of screens, PNG files and web pages. Supports each format of Android's
 * swapchain. Dataspaces with a known standard and transfer are converted, and colours outside sRGB are clamped. HDR
 * (PQ, HLG) is tone mapped: 203 cd/m² becomes 1, the value of white; values below 3/4 stay, and values above are
 * compressed so that the picture's peak becomes 1. Pixels of UNKNOWN and ARBITRARY stay unchanged. Alpha is passed on,
 * and is 255 for a format without alpha. Throws a `TypeError` for a format without RGB pixels, a `RangeError` if the
 * memory is too small.
 *
 * @example
 * ```ts
 * import { convertPixels, DATASPACE, FORMAT } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * const source = { width: 1, height: 1, rowPitch: 2, format: FORMAT.RGB_565, dataspace: DATASPACE.UNKNOWN };
 * const { data } = convertPixels({ ...source, bytes: new Uint8Array([0x00, 0xf8]) });
 * assertEquals([...data], [255, 0, 0, 255]);
 * ```
 */
export function convertPixels(source: PixelSource, options: ConvertOptions = {}): Picture {
  checkOptions("convertPixels()", options, RULES);
  const bgra = options.order === "bgra";
  if (isWords(source)) return convertWords(source, options, (source.format === FORMAT.BGRA_8888) !== bgra);
  const { reader, map, units, color } = prepare(source, options.size);
  const { width, height } = map, data = options.into ?? new Uint8Array(4 * width * height);
  writeRows(units, reader, map, { data, most: 255 }, color);
  if (bgra) swapRedBlue(data, width * height);
  return { width, height, data };
}

/**
 * Like {@linkcode convertPixels} with 16 bits a channel, RGBA, for formats with more than 8 bits.
 *
 * @example
 * ```ts
 * import { convertPixels16, DATASPACE, FORMAT } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * const source = { width: 1, height: 1, rowPitch: 4, format: FORMAT.RGBA_8888, dataspace: DATASPACE.UNKNOWN };
 * const { data } = convertPixels16({ ...source, bytes: new Uint8Array([255, 0, 0, 255]) });
 * assertEquals([...data], [65535, 0, 0, 65535]);
 * ```
 */
export function convertPixels16(source: PixelSource): Picture<Uint16Array<ArrayBuffer>> {
  const { reader, map, units, color } = prepare(source), { width, height } = map;
  const data = new Uint16Array(4 * width * height);
  writeRows(units, reader, map, { data, most: 65535 }, color);
  return { width, height, data };
}

/** Whether four bytes of a pixel only need another order. */
function isWords({ format, dataspace = DATASPACE.UNKNOWN }: PixelSource): boolean {
  return BYTES.includes(format) && !colorSpaceOf(dataspace);
}

function convertWords(source: PixelSource, { size, into }: ConvertOptions, swap: boolean): Picture {
  checkMemory(source, 4);
  const map = sampleMap({ ...source, step: 1, pitch: source.rowPitch / 4, size }), { width, height } = map;
  const data = into ?? new Uint8Array(4 * width * height);
  const words = new Uint32Array(data.buffer, data.byteOffset, width * height);
  copyWords(unitsOf(source.bytes, 4) as Uint32Array, map, words, { swap, opaque: source.format === FORMAT.RGBX_8888 });
  return { width, height, data };
}

function prepare(source: PixelSource, size?: ConvertOptions["size"]) {
  const reader = pixelReaderOf(source.format);
  if (!reader) {
    throw new TypeError(`Cannot read pixels of ${formatName(source.format)}: use a format with red, green and blue`);
  }
  checkMemory(source, reader.bytesPerPixel);
  const map = sampleMap({
    ...source,
    step: reader.bytesPerPixel / reader.unit,
    pitch: source.rowPitch / reader.unit,
    size,
  });
  const space = colorSpaceOf(source.dataspace ?? 0);
  return { reader, map, units: unitsOf(source.bytes, reader.unit), color: space && { space, peak: source.peak } };
}

function formatName(format: number): string {
  return pixelFormatOfHal(format)?.name ?? `HAL_PIXEL_FORMAT 0x${format.toString(16)}`;
}

function checkMemory({ bytes, width, height, rowPitch }: PixelSource, bytesPerPixel: number): void {
  const needed = rowPitch * (height - 1) + width * bytesPerPixel;
  if (width * bytesPerPixel <= rowPitch && bytes.length >= needed) return;
  throw new RangeError(
    `Cannot read ${width}×${height} pixels with ${rowPitch} bytes from row to row out of ${bytes.length} bytes: ` +
      `${needed} are needed, and ${width * bytesPerPixel} a row`,
  );
}

/** The memory in units of so many bytes; copied only if it does not begin at a multiple of them. */
function unitsOf(bytes: Uint8Array, unit: 1 | 2 | 4): Units {
  if (unit === 1) return bytes;
  const { buffer, byteOffset } = bytes.byteOffset % unit === 0 ? bytes : bytes.slice();
  const length = Math.floor(bytes.length / unit);
  return unit === 2 ? new Uint16Array(buffer, byteOffset, length) : new Uint32Array(buffer, byteOffset, length);
}

const ALPHA = 0xff000000;

/** The change of each four-byte pixel. */
interface WordChange {
  /** Red and blue change places. */
  readonly swap: boolean;
  /** Alpha becomes 255, whatever its value. */
  readonly opaque: boolean;
}

/** Copies pixels of four bytes; whole rows at once where nothing changes. */
function copyWords(from: Uint32Array, map: SampleMap, to: Uint32Array, { swap, opaque }: WordChange): void {
  const { width, height, columns, rows, isStraight } = map;
  for (let y = 0, at = 0; y < height; y++, at += width) {
    const start = rows[y] + columns[0];
    if (!isStraight) gather(from, rows[y], columns, to, at);
    else if (swap) swapWords(from, start, to, at, width);
    else to.set(from.subarray(start, start + width), at);
  }
  const all = width * height;
  if (swap && !isStraight) swapWords(to, 0, to, 0, all);
  if (opaque) { for (let index = 0; index < all; index++) to[index] |= ALPHA; }
}

function gather(from: Uint32Array, row: number, columns: Int32Array, to: Uint32Array, at: number): void {
  for (let x = 0; x < columns.length; x++) to[at + x] = from[row + columns[x]];
}

/** Red and blue change places: under 1 ns a pixel. */
function swapWords(from: Uint32Array, start: number, to: Uint32Array, at: number, count: number): void {
  for (let index = 0; index < count; index++) {
    const word = from[start + index];
    to[at + index] = (word & 0xff00ff00) | ((word & 0xff) << 16) | ((word >>> 16) & 0xff);
  }
}

/** Swaps red and blue of so many pixels of four bytes, in place. */
function swapRedBlue(data: Uint8Array, pixels: number): void {
  const words = new Uint32Array(data.buffer, data.byteOffset, pixels);
  swapWords(words, 0, words, 0, pixels);
}
