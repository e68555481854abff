import { fillGray } from "../../wsi/buffer/cpu_access.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { FORMAT, type Rect } from "../types.ts";

/** A colour, 0 to 255 each. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** The range of the gray that YUV buffers are filled with: in limited and in full range, of any standard. */
const GRAY_FROM = 124, GRAY_TO = 134;
const HALF_ONE = 0x3c00;

/** The bytes of one pixel of a format. */
const PACKED: Readonly<Record<number, (rgb: Rgb, alpha: number) => ArrayBufferView>> = {
  [FORMAT.RGBA_8888]: ([r, g, b], a) => Uint8Array.of(r, g, b, a),
  [FORMAT.RGBX_8888]: ([r, g, b]) => Uint8Array.of(r, g, b, 0), // the last byte does not count
  [FORMAT.BGRA_8888]: ([r, g, b], a) => Uint8Array.of(b, g, r, a),
  [FORMAT.RGB_888]: ([r, g, b]) => Uint8Array.of(r, g, b),
  [FORMAT.RGB_565]: ([r, g, b]) => Uint16Array.of(r >> 3 << 11 | g >> 2 << 5 | b >> 3),
  [FORMAT.RGBA_1010102]: ([r, g, b], a) => Uint32Array.of((ten(r) | ten(g) << 10 | ten(b) << 20 | a >> 6 << 30) >>> 0),
  [FORMAT.RGBA_FP16]: ([r, g, b], a) => Uint16Array.of(...[r, g, b, a].map((each) => each > 127 ? HALF_ONE : 0)),
};

/** Fills a buffer, or a part of it, with a colour: exact for colours of 0 and 255. YUV formats become gray. */
export function paint(buffer: GraphicBuffer, rgb: Rgb, alpha = 255, part?: Rect): GraphicBuffer {
  const pixel = PACKED[buffer.format]?.(rgb, alpha), { width: right, height: bottom } = buffer;
  if (pixel) fill(buffer, new Uint8Array(pixel.buffer), part ?? { left: 0, top: 0, right, bottom });
  else fillGray(buffer);
  return buffer;
}

/** The colour of a pixel of an RGBA_8888 buffer. */
export function pixelOf(buffer: GraphicBuffer, x: number, y: number): Rgb {
  const bytes = buffer.lock(), at = y * buffer.rowPitch + 4 * x, found = [...bytes.subarray(at, at + 3)];
  buffer.unlock();
  return found as unknown as Rgb;
}

/** Whether a colour is that of a YUV buffer filled here. */
export function isGray(rgb: Rgb): boolean {
  return rgb.every((each) => each >= GRAY_FROM && each <= GRAY_TO);
}

/** Whether two colours differ by a rounding at most. */
export function isNear(one: Rgb, other: Rgb): boolean {
  return one.every((each, channel) => Math.abs(each - other[channel]) <= 1);
}

function fill(buffer: GraphicBuffer, pixel: Uint8Array, { left, top, right, bottom }: Rect): void {
  const bytes = buffer.lock(), row = new Uint8Array((right - left) * pixel.length);
  for (let at = 0; at < row.length; at += pixel.length) row.set(pixel, at);
  for (let y = top; y < bottom; y++) bytes.set(row, y * buffer.rowPitch + left * pixel.length);
  buffer.unlock();
}

function ten(byte: number): number {
  return byte << 2 | byte >> 6;
}
