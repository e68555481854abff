import { resolveDataspace } from "./dataspace.ts";

/** The factors from R, G and B of 255ths to a channel of YUV. Factors are 65536ths. */
export interface YuvChannel {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/**
 * How a picture becomes YUV. A chroma sample is made of sixteen 16ths of the pixels around its place:
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
