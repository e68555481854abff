import { DATASPACE } from "../../types.ts";

/** Colour primaries that are told apart here. */
export type Standard = "BT709" | "BT601_625" | "BT601_525" | "BT2020" | "BT470M" | "FILM" | "DCI_P3" | "ADOBE_RGB";
/** Transfer functions. */
export type Transfer = "LINEAR" | "SRGB" | "SMPTE_170M" | "GAMMA2_2" | "GAMMA2_6" | "GAMMA2_8" | "ST2084" | "HLG";

/** A dataspace with its defaults filled in. */
export interface ResolvedDataspace {
  /** The primaries. */
  readonly standard: Standard;
  /** The transfer curve. */
  readonly transfer: Transfer;
  /** Whether black is 16 of 255. */
  readonly isLimited: boolean;
}

/** The buffer's properties that decide where its dataspace is unspecified. */
export interface DataspaceContext {
  readonly isYuv: boolean;
  readonly width: number;
  readonly height: number;
}

const STANDARDS: readonly (Standard | undefined)[] = [
  undefined,
  "BT709",
  "BT601_625",
  "BT601_625",
  "BT601_525",
  "BT601_525",
  "BT2020",
  "BT2020",
  "BT470M",
  "FILM",
  "DCI_P3",
  "ADOBE_RGB",
];
const TRANSFERS: readonly (Transfer | undefined)[] = [
  undefined,
  "LINEAR",
  "SRGB",
  "SMPTE_170M",
  "GAMMA2_2",
  "GAMMA2_6",
  "GAMMA2_8",
  "ST2084",
  "HLG",
];
const LIMITED = 2;

/** The modern values of old dataspace values. */
const LEGACY: Readonly<Record<number, number>> = {
  0x200: DATASPACE.V0_SRGB_LINEAR,
  0x201: DATASPACE.V0_SRGB,
  0x101: DATASPACE.V0_JFIF,
  0x102: DATASPACE.V0_BT601_625,
  0x103: DATASPACE.V0_BT601_525,
  0x104: DATASPACE.V0_BT709,
};

/** The same dataspace with full range; UNKNOWN stays UNKNOWN. */
export function withFullRange(dataspace: number): number {
  const bits = LEGACY[dataspace] ?? dataspace;
  return bits === 0 ? 0 : bits & ~(7 << 27) | 1 << 27;
}

/**
 * A dataspace with Android's defaults for its open parts. RGB is sRGB of full
 * range. YUV has limited range and SMPTE 170M's curve; its primaries are BT.709
 * from 1280 across or 720 down, and BT.601 below.
 */
export function resolveDataspace(dataspace: number, { isYuv, width, height }: DataspaceContext): ResolvedDataspace {
  const bits = LEGACY[dataspace] ?? dataspace, range = bits >>> 27 & 7;
  const usual = isYuv && width < 1280 && height < 720 ? "BT601_625" : "BT709";
  return {
    standard: STANDARDS[bits >>> 16 & 63] ?? usual,
    transfer: TRANSFERS[bits >>> 22 & 31] ?? (isYuv ? "SMPTE_170M" : "SRGB"),
    isLimited: range === 0 ? isYuv : range === LIMITED,
  };
}
