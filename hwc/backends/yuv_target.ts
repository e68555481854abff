import { allocateBuffer } from "../../wsi/buffer/gralloc.ts";
import { syncDmaBuf } from "../../wsi/buffer/dma_buf.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import type { ComposeOptions, CompositionReport } from "./backend.ts";
import { withFullRange } from "./colors/dataspace.ts";
import type { ComposeLayer } from "./compose_layer.ts";
import { intersect } from "../rects.ts";
import type { Painter, YuvJob } from "./plan/step.ts";
import { FORMAT, type Rect } from "../types.ts";
import { type RgbToYuv, rgbToYuv } from "./colors/yuv_coefficients.ts";
import { bytesOf, type Surface, surfaceOf, type YuvPlanes } from "./surface.ts";

const PICTURE_USAGE = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN | USAGE.GPU_RENDER_TARGET | USAGE.GPU_TEXTURE;
const READ_AND_WRITE = 3;

/** Draws layers into an RGB buffer. */
type ComposeRgb = (
  target: GraphicBuffer,
  layers: readonly ComposeLayer[],
  options: ComposeOptions,
) => CompositionReport;

/** Whether a buffer's pixels are YUV. */
export function isYuv(target: GraphicBuffer): boolean {
  const surface = surfaceOf(target);
  return typeof surface !== "string" && surface.kind === "yuv";
}

/** The RGBA surface that stands for a YUV target until the picture is complete. */
export function pictureFor({ width, height, isProtected }: Surface): Surface {
  const pitch = 4 * width;
  return { address: 0n, size: pitch * height, width, height, pitch, kind: "rgba8888", isProtected };
}

/** Composes into YUV: first in RGBA by full range, then the changed parts become YUV. */
export class YuvPicture {
  readonly #painters: readonly Painter[];
  #picture: GraphicBuffer | undefined;

  /** The painters that draw, of which one may also convert. */
  constructor(painters: readonly Painter[]) {
    this.#painters = painters;
  }

  /** Draws the layers into a YUV buffer. Throws what `rgb` throws. */
  compose(
    rgb: ComposeRgb,
    target: GraphicBuffer,
    layers: readonly ComposeLayer[],
    options: ComposeOptions,
  ): CompositionReport {
    const start = performance.now(), picture = this.#pictureFor(target), surface = surfaceOf(target) as Surface;
    const { dataspace = 0, isProtected = surface.isProtected } = options, { width, height } = surface;
    const whole = { left: 0, top: 0, right: width, bottom: height };
    const rects = (options.damage ?? [whole]).flatMap((rect) => intersect(rect, whole) ?? []);
    const drawn = { ...options, damage: rects.map(grown), dataspace: withFullRange(dataspace), isProtected };
    const report = rgb(picture, layers, drawn);
    const conversion = rgbToYuv(dataspace, width, height, surface.yuv!.wide);
    this.#convert({ picture, from: surfaceOf(picture) as Surface, target, to: surface, rects, conversion });
    return { ...report, milliseconds: performance.now() - start };
  }

  #convert(job: YuvJob): void {
    const { from, to, rects, conversion, target: { memory: { kind, fd } } } = job, isShared = kind === "dma-buf";
    if (rects.length === 0) return;
    if (isShared) syncDmaBuf(fd, READ_AND_WRITE, false);
    try {
      if (!this.#painters.some((painter) => painter.writeYuv?.(job))) writeYuv(from, to, rects, conversion);
    } finally {
      if (isShared) syncDmaBuf(fd, READ_AND_WRITE, true);
    }
  }

  /** Frees the picture. A second call does nothing. */
  close(): void {
    const picture = this.#picture;
    if (picture) { for (const painter of this.#painters) painter.forget?.(picture); }
    picture?.close();
    this.#picture = undefined;
  }

  #pictureFor({ width, height }: GraphicBuffer): GraphicBuffer {
    const known = this.#picture;
    if (known?.width === width && known.height === height) return known;
    this.close();
    return this.#picture = allocateBuffer({ width, height, format: FORMAT.RGBA_8888, usage: PICTURE_USAGE });
  }
}

/** The pixels that the chroma of a part depends on, too. */
function grown({ left, top, right, bottom }: Rect): Rect {
  return { left: left - REACH, top: top - REACH, right: right + REACH, bottom: bottom + REACH };
}

/** Pixels around a changed one whose chroma it may change. */
const REACH = 2;

/** Writes the parts of an RGBA picture to a YUV surface of the same size, with the chroma that the parts change. */
function writeYuv(from: Surface, to: Surface, rects: readonly Rect[], conversion: RgbToYuv): void {
  const words = new Uint32Array(bytesOf(from).buffer), picture = { words, pitch: from.pitch >> 2, ...sizeOf(from) };
  const planes = inSamples(to.yuv!), { buffer } = bytesOf(to);
  const samples = planes.wide ? new Uint16Array(buffer, 0, to.size >> 1) : new Uint8Array(buffer);
  for (const rect of rects) {
    writeLuma(picture, planes, rect, conversion, samples);
    writeChroma(picture, planes, chromaOf(rect, planes, from), conversion, samples);
  }
}

/** An RGBA picture, red in the lowest byte of a word. */
interface Picture {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly pitch: number;
  readonly width: number;
  readonly height: number;
}

/** The samples of a YUV surface: bytes, or halves whose top 10 bits count. */
type Samples = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>;

function sizeOf({ width, height }: Surface) {
  return { width, height };
}

/** Counts offsets in samples instead of bytes. */
function inSamples(planes: YuvPlanes): YuvPlanes {
  if (!planes.wide) return planes;
  const { y, cb, cr, ystride, cstride, ystep, cstep } = planes;
  const halved = { y: y >> 1, cb: cb >> 1, cr: cr >> 1, ystride: ystride >> 1, cstride: cstride >> 1 };
  return { ...planes, ...halved, ystep: ystep >> 1, cstep: cstep >> 1 };
}

/**
 * The samples of chroma that pixels change, in samples: those whose pixels are within one of a changed pixel.
 */
export function chromaOf(
  { left, top, right, bottom }: Rect,
  { shiftX, shiftY }: YuvPlanes,
  { width, height }: { readonly width: number; readonly height: number },
): Rect {
  const first = (edge: number, shift: number) => Math.max(0, shift === 0 ? edge : edge >> 1);
  const last = (edge: number, shift: number, size: number) => {
    return Math.min(shift === 0 ? size : size + 1 >> 1, shift === 0 ? edge : edge + 2 >> 1);
  };
  return {
    left: first(left, shiftX),
    top: first(top, shiftY),
    right: last(right, shiftX, width),
    bottom: last(bottom, shiftY, height),
  };
}

function writeLuma(
  { words, pitch }: Picture,
  { y: plane, ystride, ystep, wide }: YuvPlanes,
  { left, top, right, bottom }: Rect,
  { y: { r, g, b }, black }: RgbToYuv,
  samples: Samples,
): void {
  const add = (black << 16) + 32768, up = wide ? 6 : 0;
  for (let y = top; y < bottom; y++) {
    let at = plane + y * ystride + left * ystep;
    for (let from = y * pitch + left, end = y * pitch + right; from < end; from++, at += ystep) {
      const word = words[from];
      samples[at] = (r * (word & 255) + g * (word >>> 8 & 255) + b * (word >>> 16 & 255) + add >> 16) << up;
    }
  }
}

/** Weights, in 4ths, of the pixel before the first of those that share a sample, of the first, and of the next. */
type Weights = readonly [before: number, first: number, next: number];

function weightsOf(shift: number, isOnFirst: boolean): Weights {
  if (shift === 0) return [0, 4, 0];
  return isOnFirst ? [1, 2, 1] : [0, 2, 2];
}

/** Sums three rows by their weights, then three of these sums. */
function writeChroma(
  picture: Picture,
  { cb, cr, cstride, cstep, shiftX, shiftY, wide }: YuvPlanes,
  { left, top, right, bottom }: Rect,
  conversion: RgbToYuv,
  samples: Samples,
): void {
  const { width, height } = picture, up = wide ? 6 : 0, [before, first, next] = weightsOf(shiftX, conversion.isLeft);
  const rows = weightsOf(shiftY, conversion.isTop), sums = new RowSums(width), { redBlue, green } = sums;
  const { cb: toCb, cr: toCr, gray, most } = conversion, add = (gray << 20) + (1 << 19);
  const from = Math.max(0, (left << shiftX) - 1), to = Math.min(width, right << shiftX);
  for (let j = top; j < bottom; j++) {
    sums.add(picture, (j << shiftY) - 1, rows, height, from, to);
    let at = j * cstride + left * cstep;
    for (let i = left; i < right; i++, at += cstep) {
      const x = i << shiftX, x0 = x > 0 ? x - 1 : 0, x2 = x + 1 < width ? x + 1 : width - 1;
      const rb = before * redBlue[x0] + first * redBlue[x] + next * redBlue[x2], r = rb & 0xffff, b = rb >>> 16;
      const g = before * green[x0] + first * green[x] + next * green[x2];
      const u = toCb.r * r + toCb.g * g + toCb.b * b + add >> 20, v = toCr.r * r + toCr.g * g + toCr.b * b + add >> 20;
      samples[cb + at] = (u > most ? most : u) << up;
      samples[cr + at] = (v > most ? most : v) << up;
    }
  }
}

/** Weighted sums of three rows: red and blue as halves of a word, and green. */
class RowSums {
  readonly redBlue: Int32Array<ArrayBuffer>;
  readonly green: Int32Array<ArrayBuffer>;

  constructor(width: number) {
    this.redBlue = new Int32Array(width);
    this.green = new Int32Array(width);
  }

  /** Sums the rows from `y` on; rows beyond the edges count as those at the edges. */
  add({ words, pitch }: Picture, y: number, [a, b, c]: Weights, height: number, from: number, to: number): void {
    const { redBlue, green } = this, row = (at: number) => pitch * Math.max(0, Math.min(height - 1, at));
    const above = row(y), middle = row(y + 1), below = row(y + 2);
    for (let x = from; x < to; x++) {
      const p = words[above + x], q = words[middle + x], s = words[below + x];
      redBlue[x] = a * (p & 0xff00ff) + b * (q & 0xff00ff) + c * (s & 0xff00ff);
      green[x] = a * (p >>> 8 & 255) + b * (q >>> 8 & 255) + c * (s >>> 8 & 255);
    }
  }
}
