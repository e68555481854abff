import { bindByAddress } from "../../../ffi/stubs.ts";
import type { Source } from "../step.ts";
import type { PixelLibraries } from "./library.ts";

/** Part of a buffer, in pixels. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The function of libyuv for a source, if there is one that computes as the P-rule does. */
export function yuvFunction({ surface: { yuv } }: Source): string | undefined {
  if (!yuv || yuv.wide || yuv.ystep !== 1) return undefined;
  if (yuv.shiftX === 1 && yuv.shiftY === 1) return "Android420ToARGBMatrix";
  if (yuv.cstep !== 1) return undefined;
  return yuv.shiftX === 1 ? "I422ToARGBMatrix" : "I444ToARGBMatrix";
}

/**
 * Converts an area, which must begin at even places, to RGBA. libyuv's ARGB has
 * blue in its first byte: with Cb and Cr in each other's place, and the tables
 * for that, red is there.
 */
export function convertYuv(libraries: PixelLibraries, source: Source, area: Area, to: bigint, pitch: number): void {
  const { surface: { address, yuv: at }, yuv } = source, { x, y, width, height } = area;
  const { ystride, cstride, cstep, shiftX, shiftY } = at!, name = yuvFunction(source)!;
  const luma = address + BigInt(at!.y + y * ystride + x);
  const chroma = (y >> shiftY) * cstride + (x >> shiftX) * cstep;
  const [cb, cr] = [at!.cb, at!.cr].map((offset) => address + BigInt(offset + chroma));
  const planes = [luma, ystride, cr, cstride, cb, cstride] as const;
  const rest = [to, pitch, libraries.yuv(`kYvu${yuv!.name}Constants`)!, width, height] as const,
    call = libraries.yuv(name)!;
  if (name === "Android420ToARGBMatrix") bindByAddress("s:qsqsqssqsqss")(...planes, cstep, ...rest, call);
  else bindByAddress("s:qsqsqsqsqss")(...planes, ...rest, call);
}
