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
