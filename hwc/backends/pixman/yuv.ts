import { NativeBlock } from "../../../ffi/block.ts";
import type { Source } from "../plan/step.ts";
import type { YuvPlanes } from "../surface.ts";
import { YUV_COEFFICIENTS, type YuvCoefficients, yuvToRgb } from "../colors/yuv_coefficients.ts";
import type { PixelLibraries, YuvFunction } from "./library.ts";

/** Part of a buffer, in pixels. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Samples in memory. */
interface Samples {
  readonly address: bigint;
  readonly planes: YuvPlanes;
}

/** Bytes of libyuv's `struct YuvConstants` on x86-64: three times 32 bytes of factors, twice 16 numbers of 16 bits. */
const CONSTANTS = 160;
const YG = 96, YB = 128;
/** Pixels of the self-test. */
const TRIAL = { width: 64, height: 64 };

/**
 * libyuv with our coefficients, in libyuv's own form, which cuts off what does
 * not fit in seven bits. A first conversion checks whether libyuv computes with
 * them as the P-rule does.
 */
export class YuvConverter implements Disposable {
  readonly #libraries: PixelLibraries;
  readonly #answers = new Map<string, boolean>();
  #tables: NativeBlock | undefined;

  /** Does nothing before it is asked. */
  constructor(libraries: PixelLibraries) {
    this.#libraries = libraries;
  }

  /** Whether it converts a source exactly; if not, a sentence. */
  can({ surface: { yuv }, yuv: coefficients }: Source): true | string {
    const name = functionOf(yuv!);
    if (!name) return "libyuv has no exact way to read this YUV format";
    if (!this.#libraries.hasYuv(name)) return `libyuv.so.0 is missing, or has no ${name}`;
    if (Deno.build.arch !== "x86_64") return "libyuv's arithmetic is another one on this processor";
    return this.#agrees(coefficients!) || "libyuv computes otherwise here";
  }

  /** Converts an area, which must begin at even places, to RGBX. */
  convert({ surface: { address, yuv }, yuv: coefficients }: Source, area: Area, to: bigint, pitch: number): void {
    this.#convert({ address, planes: yuv! }, coefficients!, area, to, pitch);
  }

  /** Gives the tables back. */
  close(): void {
    this.#tables?.close();
    this.#tables = undefined;
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** libyuv's ARGB has blue in its first byte. With Cb and Cr swapped, in the tables too, the first byte is red. */
  #convert(
    { address, planes: at }: Samples,
    coefficients: YuvCoefficients,
    area: Area,
    to: bigint,
    pitch: number,
  ): void {
    const { x, y, width, height } = area, { ystride, cstride, cstep, shiftX, shiftY } = at, name = functionOf(at)!;
    const luma = address + BigInt(at.y + y * ystride + x), chroma = (y >> shiftY) * cstride + (x >> shiftX) * cstep;
    const [cb, cr] = [at.cb, at.cr].map((offset) => address + BigInt(offset + chroma));
    const planes = [luma, ystride, cr, cstride, cb, cstride] as const;
    const rest = [to, pitch, this.#tableOf(coefficients), width, height];
    this.#libraries.callYuv(name, name === ANDROID_420 ? [...planes, cstep, ...rest] : [...planes, ...rest]);
  }

  /** By name: coefficients that another thread has sent are copies. */
  #tableOf({ name }: YuvCoefficients): bigint {
    const { address } = this.#tables ??= makeTables();
    return address + BigInt(CONSTANTS * YUV_COEFFICIENTS.findIndex((known) => known.name === name));
  }

  #agrees(coefficients: YuvCoefficients): boolean {
    const known = this.#answers.get(coefficients.name);
    if (known !== undefined) return known;
    const answer = this.#tryOut(coefficients);
    this.#answers.set(coefficients.name, answer);
    return answer;
  }

  /** All values of Cb and Cr that are a multiple of four, with many of Y. */
  #tryOut(coefficients: YuvCoefficients): boolean {
    const { width, height } = TRIAL, count = width * height;
    using block = new NativeBlock(7 * count);
    const { bytes, view, address } = block, planes = { y: 0, cb: count, cr: 2 * count, ystride: width, cstride: width };
    for (let n = 0; n < count; n++) {
      bytes[n] = n * 37, bytes[count + n] = 4 * (n % width), bytes[2 * count + n] = 4 * (n >> 6);
    }
    const all = { ...planes, ystep: 1, cstep: 1, shiftX: 0, shiftY: 0, wide: false };
    this.#convert(
      { address, planes: all },
      coefficients,
      { x: 0, y: 0, ...TRIAL },
      address + BigInt(3 * count),
      4 * width,
    );
    for (let n = 0; n < count; n++) {
      const expected = yuvToRgb(bytes[n] * 257, bytes[count + n], bytes[2 * count + n], coefficients);
      if ((view.getUint32(3 * count + 4 * n, true) & 0xffffff) !== expected) return false;
    }
    return true;
  }
}

const ANDROID_420 = "Android420ToARGBMatrix";

/** The function of libyuv for samples that lie so. */
function functionOf({ wide, ystep, cstep, shiftX, shiftY }: YuvPlanes): YuvFunction | undefined {
  if (wide || ystep !== 1) return undefined;
  if (shiftX === 1 && shiftY === 1) return ANDROID_420;
  if (cstep !== 1) return undefined;
  return shiftX === 1 ? "I422ToARGBMatrix" : "I444ToARGBMatrix";
}

/** Factors of the second and the first plane for the first, second and third stored channel. */
function makeTables(): NativeBlock {
  const block = new NativeBlock(CONSTANTS * YUV_COEFFICIENTS.length), { view } = block;
  YUV_COEFFICIENTS.forEach(({ yg, yb, ub, ug, vg, vr }, index) => {
    const at = index * CONSTANTS, pairs = [[vr, 0], [vg, ug], [0, ub]];
    for (let n = 0; n < 96; n++) view.setUint8(at + n, pairs[n >> 5][n & 1]);
    for (let n = 0; n < 16; n++) {
      view.setInt16(at + YG + 2 * n, yg, true);
      view.setInt16(at + YB + 2 * n, yb, true);
    }
  });
  return block;
}
