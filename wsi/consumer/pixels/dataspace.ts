/** How the numbers of a channel stand for light: `android_dataspace`'s transfer. */
export type Transfer = "linear" | "srgb" | "smpte170m" | "gamma2.2" | "gamma2.6" | "gamma2.8" | "pq" | "hlg";
/** Which red, green and blue are meant, all with the white point D65: `android_dataspace`'s standard. */
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
 * What has to be converted before pixels of an `android_dataspace` can be shown
 * as sRGB; `undefined` when they are taken as they are: sRGB itself, UNKNOWN (0),
 * ARBITRARY (1) and everything that has a standard or transfer not known here.
 */
export function colorSpaceOf(dataspace: number): ColorSpace | undefined {
  const gamut = GAMUTS[dataspace >>> STANDARD_SHIFT & STANDARD_MASK];
  const transfer = TRANSFERS[dataspace >>> TRANSFER_SHIFT & TRANSFER_MASK];
  if (gamut === undefined || transfer === undefined || (gamut === "bt709" && transfer === "srgb")) return undefined;
  return { gamut, transfer };
}
