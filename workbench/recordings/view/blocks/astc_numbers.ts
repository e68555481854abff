/** Numbers as ASTC stores them: so many bits each, with one of three or of five that several numbers share. */
export interface NumberRange {
  readonly bits: number;
  /** 3 for trits, 5 for quints, 0 for neither. */
  readonly base: 0 | 3 | 5;
}

const range = (levels: number): NumberRange => {
  const base = levels % 3 === 0 ? 3 : levels % 5 === 0 ? 5 : 0;
  return { base, bits: Math.log2(levels / (base || 1)) };
};
/** The ranges of weights by their number, and those of colours from the largest. */
export const WEIGHT_RANGES: readonly NumberRange[] = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32].map(range);
export const COLOUR_RANGES: readonly NumberRange[] = [
  256,
  192,
  160,
  128,
  96,
  80,
  64,
  48,
  40,
  32,
  24,
  20,
  16,
  12,
  10,
  8,
  6,
]
  .map(range);

/** Returns the bits that so many numbers take. */
export function bitsOf({ bits, base }: NumberRange, count: number): number {
  const shared = base === 3 ? Math.ceil(8 * count / 5) : base === 5 ? Math.ceil(7 * count / 3) : 0;
  return shared + bits * count;
}

/** Reads so many numbers of a range, each as its bits and its trit or quint. `take` returns bits, 0 behind the last one. */
export function numbersIn(
  { bits, base }: NumberRange,
  count: number,
  take: (count: number) => number,
): { readonly low: number; readonly high: number }[] {
  const found: { low: number; high: number }[] = [];
  const shares = base === 3 ? [2, 2, 1, 2, 1] : base === 5 ? [3, 2, 2] : [0];
  while (found.length < count) {
    const lows: number[] = [];
    let shared = 0, at = 0;
    for (const share of shares) {
      lows.push(take(bits));
      shared |= take(share) << at;
      at += share;
    }
    const highs = base === 3 ? tritsOf(shared) : base === 5 ? quintsOf(shared) : [0];
    found.push(...lows.map((low, place) => ({ low, high: highs[place] })));
  }
  return found.slice(0, count);
}

function tritsOf(word: number): number[] {
  const isLong = (word >> 2 & 7) === 7, rest = isLong ? (word >> 5 & 7) << 2 | word & 3 : word & 31;
  const upper = isLong ? [2, 2] : (word >> 5 & 3) === 3 ? [word >> 7, 2] : [word >> 5 & 3, word >> 7];
  if ((rest & 3) === 3) return [rest >> 2 & ~(rest >> 3) & 1 | (rest >> 3 & 1) << 1, rest >> 4 & 1, 2, ...upper];
  if ((rest >> 2 & 3) === 3) return [rest & 3, 2, 2, ...upper];
  return [rest & ~(rest >> 1) & 1 | (rest >> 1 & 1) << 1, rest >> 2 & 3, rest >> 4 & 1, ...upper];
}

function quintsOf(word: number): number[] {
  const isHigh = (word >> 1 & 3) === 3;
  if (isHigh && (word >> 5 & 3) === 0) {
    const first = word & 1, not = ~first & 1;
    return [4, 4, first << 2 | (word >> 4 & not) << 1 | word >> 3 & not];
  }
  const last = isHigh ? 4 : word >> 5 & 3;
  const rest = isHigh ? (word >> 3 & 3) << 3 | (~(word >> 5) & 3) << 1 | word & 1 : word & 31;
  return (rest & 7) === 5 ? [rest >> 3 & 3, 4, last] : [rest & 7, rest >> 3 & 3, last];
}

/** Bits of a number by their letters, the lowest bit being `a`: where they stand again, and what a trit or quint counts. */
type Spread = readonly [pattern: string, factor: number];
const COLOUR_SPREADS: Readonly<Record<string, Spread>> = {
  "3 1": ["000000000", 204],
  "3 2": ["b000b0bb0", 93],
  "3 3": ["cb000cbcb", 44],
  "3 4": ["dcb000dcb", 22],
  "3 5": ["edcb000ed", 11],
  "3 6": ["fedcb000f", 5],
  "5 1": ["000000000", 113],
  "5 2": ["b0000bb00", 54],
  "5 3": ["cb0000cbc", 26],
  "5 4": ["dcb0000dc", 13],
  "5 5": ["edcb0000e", 6],
};
const WEIGHT_SPREADS: Readonly<Record<string, Spread>> = {
  "3 1": ["0000000", 50],
  "3 2": ["b000b0b", 23],
  "3 3": ["cb000cb", 11],
  "5 1": ["0000000", 28],
  "5 2": ["b0000b0", 13],
};

/** Returns a colour from 0 to 255. */
export function colourOf(range: NumberRange, low: number, high: number): number {
  return range.base === 0 ? repeated(low, range.bits, 8) : spread(COLOUR_SPREADS, range, low, high, 0x80);
}

/** Returns a weight from 0 to 64. */
export function weightOf(range: NumberRange, low: number, high: number): number {
  const { base, bits } = range;
  const weight = base === 0
    ? repeated(low, bits, 6)
    : bits === 0
    ? (base === 3 ? [0, 32, 63] : [0, 16, 32, 47, 63])[high]
    : spread(WEIGHT_SPREADS, range, low, high, 0x20);
  return weight > 32 ? weight + 1 : weight;
}

function spread(
  spreads: Readonly<Record<string, Spread>>,
  { base, bits }: NumberRange,
  low: number,
  high: number,
  top: number,
): number {
  const [pattern, factor] = spreads[`${base} ${bits}`], isOdd = low & 1, all = 2 ** pattern.length - 1;
  const again = [...pattern].reduce((sum, letter) => {
    return sum * 2 + (letter === "0" ? 0 : low >> letter.charCodeAt(0) - 97 & 1);
  }, 0);
  return (isOdd ? top : 0) | (high * factor + again ^ (isOdd ? all : 0)) >> 2;
}

/** Bits again and again, up to so many. */
function repeated(value: number, bits: number, wanted: number): number {
  let found = 0;
  for (let left = wanted; left > 0; left -= bits) found |= left >= bits ? value << left - bits : value >> bits - left;
  return found;
}
