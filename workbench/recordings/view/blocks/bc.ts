import type { DecodeBlock } from "./block.ts";

/** Whether a block of colours has three of them and black, and whether that black is transparent. */
interface Palette {
  /** Whether the order of the two colours chooses: BC1 alone. */
  readonly hasThree: boolean;
  readonly isTransparent: boolean;
}

/** Decodes BC1; with `isTransparent`, one of the indices of some blocks means transparent black. */
export const decodeBc1 = (isTransparent: boolean): DecodeBlock => (bytes, at, out) => {
  putColours(bytes, at, out, { hasThree: true, isTransparent });
};

/** Decodes BC2: alphas of four bits, and colours. */
export const decodeBc2: DecodeBlock = (bytes, at, out) => {
  putColours(bytes, at + 8, out, { hasThree: false, isTransparent: false });
  for (let texel = 0; texel < 16; texel++) {
    out[4 * texel + 3] = (bytes[at + (texel >> 1)] >> (texel & 1) * 4 & 15) * 17;
  }
};

/** Decodes BC3: alphas between two, and colours. */
export const decodeBc3: DecodeBlock = (bytes, at, out) => {
  putColours(bytes, at + 8, out, { hasThree: false, isTransparent: false });
  putNumbers(bytes, at, out, 3, false, (value) => Math.round(value));
};

/** Decodes BC4, with `count` 1, or BC5, with 2: one or two numbers of a texel, as shares. */
export const decodeBc4 = (count: 1 | 2, isSigned: boolean): DecodeBlock => (bytes, at, out) => {
  const most = isSigned ? 127 : 255;
  out.fill(0);
  for (let texel = 0; texel < 16; texel++) out[4 * texel + 3] = 1;
  for (let place = 0; place < count; place++) {
    putNumbers(bytes, at + 8 * place, out, place, isSigned, (value) => value / most);
  }
};

function putColours(bytes: Uint8Array, at: number, out: Float32Array, { hasThree, isTransparent }: Palette): void {
  const [low, high] = [at, at + 2].map((each) => bytes[each] | bytes[each + 1] << 8);
  const [one, other] = [low, high].map(colourOf), isThree = hasThree && low <= high;
  const mixed = (share: number, of: number) =>
    one.map((each, channel) => Math.round((each * (of - share) + other[channel] * share) / of));
  const black = [0, 0, 0, isTransparent ? 0 : 255];
  const colours = isThree ? [one, other, mixed(1, 2), black] : [one, other, mixed(1, 3), mixed(2, 3)];
  for (let texel = 0; texel < 16; texel++) {
    out.set(colours[bytes[at + 4 + (texel >> 2)] >> (texel & 3) * 2 & 3], 4 * texel);
  }
}

/** A colour of 5, 6 and 5 bits. */
function colourOf(word: number): number[] {
  const [red, green, blue] = [word >> 11, word >> 5 & 63, word & 31];
  return [red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2, 255];
}

/** Numbers of three bits between two of eight. */
function putNumbers(
  bytes: Uint8Array,
  at: number,
  out: Float32Array,
  place: number,
  isSigned: boolean,
  meaning: (value: number) => number,
): void {
  const stored = (each: number) => isSigned ? Math.max(-127, bytes[each] << 24 >> 24) : bytes[each];
  const low = stored(at), high = stored(at + 1), isSix = low > high;
  const steps = isSix ? 7 : 5;
  const values = Array.from({ length: steps + 1 }, (_, step) => (low * (steps - step) + high * step) / steps);
  // The two numbers come first, then those between, and where there are only four between, the limits.
  const ordered = [low, high, ...values.slice(1, -1), ...isSix ? [] : [isSigned ? -127 : 0, isSigned ? 127 : 255]];
  for (let texel = 0; texel < 16; texel++) {
    const bit = 16 + 3 * texel, word = bytes[at + (bit >> 3)] | (bytes[at + (bit >> 3) + 1] ?? 0) << 8;
    out[4 * texel + place] = meaning(ordered[word >> (bit & 7) & 7]);
  }
}
