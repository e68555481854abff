import type { DecodeBlock } from "./block.ts";

/** The brightness that a texel gains or loses, by table and index; and distances of colours from each other. */
const STEPS = [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];
const DISTANCES = [3, 6, 11, 16, 23, 32, 41, 64];
/** The summand of a number, by table and index. */
const ADDED = [
  [-3, -6, -9, -15, 2, 5, 8, 14],
  [-3, -7, -10, -13, 2, 6, 9, 12],
  [-2, -5, -8, -13, 1, 4, 7, 12],
  [-2, -4, -6, -13, 1, 3, 5, 12],
  [-3, -6, -8, -12, 2, 5, 7, 11],
  [-3, -7, -9, -11, 2, 6, 8, 10],
  [-4, -7, -8, -11, 3, 6, 7, 10],
  [-3, -5, -8, -11, 2, 4, 7, 10],
  [-2, -6, -8, -10, 1, 5, 7, 9],
  [-2, -5, -8, -10, 1, 4, 7, 9],
  [-2, -4, -8, -10, 1, 3, 7, 9],
  [-2, -5, -7, -10, 1, 4, 6, 9],
  [-3, -4, -7, -10, 2, 3, 6, 9],
  [-1, -2, -3, -10, 0, 1, 2, 9],
  [-4, -6, -8, -9, 3, 5, 7, 8],
  [-3, -5, -7, -9, 2, 4, 6, 8],
];
type Colour = readonly number[];

/** Decodes ETC2 without alpha, or with one bit of alpha. */
export const decodeEtc2 = (hasPunch: boolean): DecodeBlock => (bytes, at, out) => putColours(bytes, at, out, hasPunch);

/** Decodes ETC2 with alphas of eight bits. */
export const decodeEtc2Alpha: DecodeBlock = (bytes, at, out) => {
  putColours(bytes, at + 8, out, false);
  const base = bytes[at], scale = bytes[at + 1] >> 4, table = ADDED[bytes[at + 1] & 15];
  for (let texel = 0; texel < 16; texel++) {
    out[4 * texel + 3] = clamped(base + table[indexOf(bytes, at, texel)] * scale);
  }
};

/** Decodes EAC: one or two numbers of eleven bits, as shares. */
export const decodeEac = (count: 1 | 2, isSigned: boolean): DecodeBlock => (bytes, at, out) => {
  for (let texel = 0; texel < 16; texel++) out.set([0, 0, 0, 1], 4 * texel);
  for (let place = 0; place < count; place++) {
    const start = at + 8 * place, scale = bytes[start + 1] >> 4, table = ADDED[bytes[start + 1] & 15];
    const base = isSigned ? Math.max(-127, bytes[start] << 24 >> 24) * 8 : bytes[start] * 8 + 4;
    const [low, high] = isSigned ? [-1023, 1023] : [0, 2047];
    for (let texel = 0; texel < 16; texel++) {
      const value = base + table[indexOf(bytes, start, texel)] * (scale > 0 ? scale * 8 : 1);
      out[4 * texel + place] = Math.max(low, Math.min(high, value)) / high;
    }
  }
};

/** Three bits of a texel, which stand in columns, the highest first. */
function indexOf(bytes: Uint8Array, at: number, texel: number): number {
  const bit = 16 + 3 * (4 * (texel & 3) + (texel >> 2)),
    word = bytes[at + (bit >> 3)] << 8 | (bytes[at + (bit >> 3) + 1] ?? 0);
  return word >> 13 - (bit & 7) & 7;
}

function putColours(bytes: Uint8Array, at: number, out: Float32Array, hasPunch: boolean): void {
  const isOpaque = !hasPunch || (bytes[at + 3] & 2) !== 0, isDifference = hasPunch || (bytes[at + 3] & 2) !== 0;
  if (!isDifference) {
    const part = (shift: number): Colour => [0, 1, 2].map((channel) => (bytes[at + channel] >> shift & 15) * 17);
    return putHalves(bytes, at, out, [part(4), part(0)], true);
  }
  const base = [0, 1, 2].map((channel) => bytes[at + channel] >> 3);
  const other = base.map((each, channel) => each + (bytes[at + channel] << 29 >> 29));
  const beyond = other.findIndex((each) => each < 0 || each > 31);
  if (beyond === 0) return putFour(bytes, at, out, pointsOfT(bytes, at), isOpaque);
  if (beyond === 1) return putFour(bytes, at, out, pointsOfH(bytes, at), isOpaque);
  if (beyond === 2) return putPlane(bytes, at, out);
  const wide = (colour: Colour) => colour.map((each) => each << 3 | each >> 2);
  putHalves(bytes, at, out, [wide(base), wide(other)], isOpaque);
}

/** Two bits of a texel, which stand in columns: the high ones first, then the low ones. */
function pairOf(bytes: Uint8Array, at: number, texel: number): number {
  const bit = 4 * (texel & 3) + (texel >> 2), byte = bit >> 3 ^ 1;
  return (bytes[at + 4 + byte] >> (bit & 7) & 1) << 1 | bytes[at + 6 + byte] >> (bit & 7) & 1;
}

/** Two halves, each of a colour that is brighter or darker. */
function putHalves(bytes: Uint8Array, at: number, out: Float32Array, colours: readonly Colour[], isOpaque: boolean) {
  const flags = bytes[at + 3], isFlipped = flags & 1;
  for (let texel = 0; texel < 16; texel++) {
    const half = isFlipped ? texel >> 3 : (texel & 3) >> 1, index = pairOf(bytes, at, texel);
    if (!isOpaque && index === 2) {
      out.set([0, 0, 0, 0], 4 * texel);
      continue;
    }
    const [near, far] = STEPS[flags >> (half ? 2 : 5) & 7], size = index & 1 ? far : isOpaque ? near : 0;
    const added = index & 2 ? -size : size;
    out.set([...colours[half].map((each) => clamped(each + added)), 255], 4 * texel);
  }
}

const wideFour = (colour: Colour) => colour.map((each) => each * 17);
const plus = (colour: Colour, added: number) => colour.map((each) => clamped(each + added));

/** One colour, and another one with two at a distance. */
function pointsOfT(bytes: Uint8Array, at: number): Colour[] {
  const [red, blueGreen, blue, last] = [0, 1, 2, 3].map((each) => bytes[at + each]);
  const one = wideFour([(red >> 3 & 3) << 2 | red & 3, blueGreen >> 4, blueGreen & 15]);
  const other = wideFour([blue >> 4, blue & 15, last >> 4]), distance = DISTANCES[(last >> 2 & 3) << 1 | last & 1];
  return [one, plus(other, distance), other, plus(other, -distance)];
}

/** Two colours, each with another one on either side. */
function pointsOfH(bytes: Uint8Array, at: number): Colour[] {
  const [first, second, third, last] = [0, 1, 2, 3].map((each) => bytes[at + each]);
  const one = [first >> 3 & 15, (first & 7) << 1 | second >> 4 & 1, second & 8 | (second & 3) << 1 | third >> 7];
  const other = [third >> 3 & 15, (third & 7) << 1 | last >> 7, last >> 3 & 15];
  const [low, high] = [one, other].map(([red, green, blue]) => red << 8 | green << 4 | blue);
  const distance = DISTANCES[last & 4 | (last & 1) << 1 | (low >= high ? 1 : 0)];
  const [left, right] = [wideFour(one), wideFour(other)];
  return [plus(left, distance), plus(left, -distance), plus(right, distance), plus(right, -distance)];
}

function putFour(bytes: Uint8Array, at: number, out: Float32Array, colours: readonly Colour[], isOpaque: boolean) {
  for (let texel = 0; texel < 16; texel++) {
    const index = pairOf(bytes, at, texel);
    out.set(!isOpaque && index === 2 ? [0, 0, 0, 0] : [...colours[index], 255], 4 * texel);
  }
}

/** A plane through the colours of three corners. */
function putPlane(bytes: Uint8Array, at: number, out: Float32Array): void {
  const [a, b, c, d, e, f, g, h] = bytes.subarray(at, at + 8);
  const origin = [a >> 1 & 63, (a & 1) << 6 | b >> 1 & 63, (b & 1) << 5 | (c >> 3 & 3) << 3 | (c & 3) << 1 | d >> 7];
  const across = [(d >> 2 & 31) << 1 | d & 1, e >> 1, (e & 1) << 5 | f >> 3];
  const down = [(f & 7) << 3 | g >> 5, (g & 31) << 2 | h >> 6, h & 63];
  const wide = (value: number, channel: number) => channel === 1 ? value << 1 | value >> 6 : value << 2 | value >> 4;
  const [start, right, below] = [origin, across, down].map((colour) => colour.map(wide));
  for (let texel = 0; texel < 16; texel++) {
    const x = texel & 3, y = texel >> 2;
    const colour = start.map((each, channel) =>
      clamped(x * (right[channel] - each) + y * (below[channel] - each) + 4 * each + 2 >> 2)
    );
    out.set([...colour, 255], 4 * texel);
  }
}

function clamped(value: number): number {
  return Math.max(0, Math.min(255, value));
}
