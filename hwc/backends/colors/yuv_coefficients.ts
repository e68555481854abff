import { resolveDataspace } from "./dataspace.ts";

/** The factors from Y, Cb and Cr to R, G and B in integers, where 64 is one. The arithmetic of {@linkcode yuvToRgb}. */
export interface YuvCoefficients {
  /** Factor of Y in 16 bits, times 2¹⁶. */
  readonly yg: number;
  /** Added to it; rounds, too. */
  readonly yb: number;
  /** Cb in blue. */
  readonly ub: number;
  /** Cb in green, taken away. */
  readonly ug: number;
  /** Cr in green, taken away. */
  readonly vg: number;
  /** Cr in red. */
  readonly vr: number;
  /** The name of the coefficients. */
  readonly name: "BT601" | "BT601 full" | "BT709" | "BT709 full" | "BT2020" | "BT2020 full";
}

const LIMITED = { yg: 19003, yb: -1160 }, FULL = { yg: 16320, yb: 32 };
const I601: YuvCoefficients = { ...LIMITED, ub: 129, ug: 25, vg: 52, vr: 102, name: "BT601" };
const JPEG: YuvCoefficients = { ...FULL, ub: 113, ug: 22, vg: 46, vr: 90, name: "BT601 full" };
const H709: YuvCoefficients = { ...LIMITED, ub: 135, ug: 14, vg: 34, vr: 115, name: "BT709" };
const F709: YuvCoefficients = { ...FULL, ub: 119, ug: 12, vg: 30, vr: 101, name: "BT709 full" };
const L2020: YuvCoefficients = { ...LIMITED, ub: 137, ug: 12, vg: 42, vr: 107, name: "BT2020" };
const F2020: YuvCoefficients = { ...FULL, ub: 120, ug: 11, vg: 37, vr: 94, name: "BT2020 full" };

/** Every set of coefficients. */
export const YUV_COEFFICIENTS: readonly YuvCoefficients[] = [I601, JPEG, H709, F709, L2020, F2020];

/** The coefficients for a buffer of a size with a dataspace, defaults filled in. */
export function yuvCoefficients(dataspace: number, width: number, height: number): YuvCoefficients {
  const { standard, isLimited } = resolveDataspace(dataspace, { isYuv: true, width, height });
  if (standard === "BT709") return isLimited ? H709 : F709;
  if (standard === "BT2020") return isLimited ? L2020 : F2020;
  return isLimited ? I601 : JPEG;
}

/** One pixel: 0xBBGGRR of an 8-bit or (`wide`) 16-bit luma sample and 8-bit chroma samples. */
export function yuvToRgb(y16: number, u: number, v: number, k: YuvCoefficients): number {
  const y1 = ((y16 * k.yg) >>> 16) + k.yb, cb = u - 128, cr = v - 128;
  const r = (y1 + cr * k.vr) >> 6, g = (y1 - cb * k.ug - cr * k.vg) >> 6, b = (y1 + cb * k.ub) >> 6;
  return (b < 0 ? 0 : b > 255 ? 255 : b) << 16 | (g < 0 ? 0 : g > 255 ? 255 : g) << 8 | (r < 0 ? 0 : r > 255 ? 255 : r);
}

/** The factors from R, G and B of 255ths to a channel of YUV. Factors are 65536ths. */
export interface YuvChannel {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/**
 * The way of a picture to YUV. A chroma sample is made of sixteen 16ths of the pixels around its place:
 *
 * ```text
 *   interstitial (JPEG)      at the left (MPEG)       at the corner (BT.2020)
 *     4  4                     2  4  2                  1  2  1
 *     4  4                     2  4  2                  2  4  2
 *                                                       1  2  1
 * ```
 */
export interface RgbToYuv {
  readonly y: YuvChannel;
  readonly cb: YuvChannel;
  readonly cr: YuvChannel;
  /** Black of Y. */
  readonly black: number;
  /** Gray of Cb and Cr. */
  readonly gray: number;
  /** The largest sample. */
  readonly most: number;
  /** Whether chroma samples lie on the left one of the pixels that share them, else between the two. */
  readonly isLeft: boolean;
  /** Whether chroma samples lie on the upper one of the rows that share them, else between the two. */
  readonly isTop: boolean;
}

const KR_KB = { BT601: [0.299, 0.114], BT709: [0.2126, 0.0722], BT2020: [0.2627, 0.0593] } as const;

/**
 * The conversion for a buffer of a size with a dataspace, defaults filled in; `isWide` for samples of 10 bits. Chroma of
 * BT.601 with full range is interstitial, as in JPEG; chroma of BT.2020 is co-sited; all other chroma is at the left.
 */
export function rgbToYuv(dataspace: number, width: number, height: number, isWide: boolean): RgbToYuv {
  const { standard, isLimited } = resolveDataspace(dataspace, { isYuv: true, width, height });
  const name = standard === "BT709" || standard === "BT2020" ? standard : "BT601", [kr, kb] = KR_KB[name];
  const unit = isWide ? 4 : 1, most = 256 * unit - 1, gray = 128 * unit;
  const [luma, chroma] = isLimited ? [219 * unit, 112 * unit] : [most, most / 2];
  const channel = (r: number, b: number, sum: number): YuvChannel => {
    const [red, blue, all] = [r, b, sum].map((factor) => Math.round(factor * 65536 / 255));
    return { r: red, g: all - red - blue, b: blue }; // gray has no chroma, and white is white
  };
  return {
    y: channel(kr * luma, kb * luma, luma),
    cb: channel(-kr * chroma / (1 - kb), chroma, 0),
    cr: channel(chroma, -kb * chroma / (1 - kr), 0),
    black: isLimited ? 16 * unit : 0,
    gray,
    most,
    isLeft: name !== "BT601" || isLimited,
    isTop: name === "BT2020",
  };
}
