/** The relation of a channel's numbers to light: `android_dataspace`'s transfer. */
export type Transfer = "linear" | "srgb" | "smpte170m" | "gamma2.2" | "gamma2.6" | "gamma2.8" | "pq" | "hlg";
/** The primaries, all with the white point D65: `android_dataspace`'s standard. */
export type Gamut = "bt709" | "bt2020" | "p3" | "adobe-rgb";

/** The properties of a dataspace. */
export interface ColorSpace {
  readonly transfer: Transfer;
  readonly gamut: Gamut;
}

const STANDARD_SHIFT = 16, STANDARD_MASK = 63, TRANSFER_SHIFT = 22, TRANSFER_MASK = 31;
const GAMUTS: Readonly<Record<number, Gamut>> = { 1: "bt709", 6: "bt2020", 10: "p3", 11: "adobe-rgb" };
const TRANSFERS: Readonly<Record<number, Transfer>> = {
  1: "linear",
  2: "srgb",
  3: "smpte170m",
  4: "gamma2.2",
  5: "gamma2.6",
  6: "gamma2.8",
  7: "pq",
  8: "hlg",
};

/**
 * The conversion that pixels of an `android_dataspace` need before they can be
 * shown as sRGB; `undefined` if the pixels need none. sRGB itself, UNKNOWN (0),
 * ARBITRARY (1) and every standard or transfer not known here need none.
 */
export function colorSpaceOf(dataspace: number): ColorSpace | undefined {
  const gamut = GAMUTS[dataspace >>> STANDARD_SHIFT & STANDARD_MASK];
  const transfer = TRANSFERS[dataspace >>> TRANSFER_SHIFT & TRANSFER_MASK];
  if (gamut === undefined || transfer === undefined || (gamut === "bt709" && transfer === "srgb")) return undefined;
  return { gamut, transfer };
}

/** The light that counts as white, 1.0, in HDR pictures: cd/m² of a diffuse white (BT.2408). */
export const REFERENCE_WHITE = 203;
/** The displayed peak of an HLG picture, in cd/m² (BT.2100). */
export const HLG_PEAK = 1000;

/**
 * The linear light of a channel's value. 1 is white, except for HLG: there 1 is
 * the brightest light of the scene. Negative values of extended ranges mirror
 * the positive ones.
 */
export function toLinear(transfer: Transfer, value: number): number {
  if (transfer === "linear") return value;
  return value < 0 ? -CURVES[transfer](-value) : CURVES[transfer](value);
}

/** Returns the sRGB value, 0 to 1, of linear light, clamped. */
export function encodeSrgb(light: number): number {
  if (!(light > 0)) return 0; // NaN, too
  if (light >= 1) return 1;
  return light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
}

const CURVES: Readonly<Record<Exclude<Transfer, "linear">, (value: number) => number>> = {
  srgb: (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  smpte170m: (value) => value < 0.081 ? value / 4.5 : ((value + 0.099) / 1.099) ** (1 / 0.45),
  "gamma2.2": (value) => value ** 2.2,
  "gamma2.6": (value) => value ** 2.6,
  "gamma2.8": (value) => value ** 2.8,
  pq: (value) => pqNits(value) / REFERENCE_WHITE,
  hlg: sceneLight,
};

/** SMPTE ST 2084: cd/m² of a value. */
function pqNits(value: number): number {
  const m1 = 2610 / 16384, m2 = 2523 / 32, c1 = 3424 / 4096, c2 = 2413 / 128, c3 = 2392 / 128;
  const power = Math.min(value, 1) ** (1 / m2);
  return 10000 * (Math.max(power - c1, 0) / (c2 - c3 * power)) ** (1 / m1);
}

/** BT.2100, the inverse of HLG's OETF: the scene's light, 0 to 1. */
function sceneLight(value: number): number {
  const a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * Math.log(4 * a);
  return value <= 0.5 ? value * value / 3 : (Math.exp((value - c) / a) + b) / 12;
}
