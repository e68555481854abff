import { between, BlockBits, type DecodeBlock, WEIGHTS } from "./block.ts";
import { isAnchor, partOf, type Parts } from "./partitions.ts";

/** A mode of BC7: parts; bits of the partition, the rotation, the choice of indices, colour, alpha; bits behind; indices. */
type Mode = readonly [
  parts: Parts,
  partition: number,
  rotation: number,
  choice: number,
  colour: number,
  alpha: number,
  own: 0 | 1,
  shared: 0 | 1,
  index: number,
  second: number,
];
const MODES: readonly Mode[] = [
  [3, 4, 0, 0, 4, 0, 1, 0, 3, 0],
  [2, 6, 0, 0, 6, 0, 0, 1, 3, 0],
  [3, 6, 0, 0, 5, 0, 0, 0, 2, 0],
  [2, 6, 0, 0, 7, 0, 1, 0, 2, 0],
  [1, 0, 2, 1, 5, 6, 0, 0, 2, 3],
  [1, 0, 2, 0, 7, 8, 0, 0, 2, 2],
  [1, 0, 0, 0, 7, 7, 1, 0, 4, 0],
  [2, 6, 0, 0, 5, 5, 1, 0, 2, 0],
];

/** Decodes BC7. A block without a mode is transparent black. */
export const decodeBc7: DecodeBlock = (bytes, at, out) => {
  const number = bytes[at] === 0 ? 8 : 31 - Math.clz32(bytes[at] & -bytes[at]);
  if (number === 8) return void out.fill(0);
  const bits = new BlockBits(bytes, at), mode = MODES[number];
  bits.at = number + 1;
  const [parts, partitionBits, rotationBits, choiceBits, , , , , index, second] = mode;
  const partition = bits.take(partitionBits), rotation = bits.take(rotationBits), choice = bits.take(choiceBits);
  const ends = endsOf(bits, mode);
  const first = indicesOf(bits, parts, partition, index), other = second > 0 ? indicesOf(bits, 1, 0, second) : first;
  const [weights, otherWeights] = [WEIGHTS[index], WEIGHTS[second || index]];
  for (let texel = 0; texel < 16; texel++) {
    const part = partOf(parts, partition, texel), [low, high] = [ends[2 * part], ends[2 * part + 1]];
    const one = weights[first[texel]],
      two = otherWeights[other[texel]],
      [colour, alpha] = choice ? [two, one] : [one, two];
    const mixed = low.map((each, channel) => between(each, high[channel], channel === 3 ? alpha : colour));
    if (rotation > 0) [mixed[3], mixed[rotation - 1]] = [mixed[rotation - 1], mixed[3]];
    out.set(mixed, 4 * texel);
  }
};

/** The two colours of each part, with eight bits a channel. */
function endsOf(bits: BlockBits, [parts, , , , colour, alpha, own, shared]: Mode): number[][] {
  const ends = Array.from({ length: 2 * parts }, () => [0, 0, 0, 0]);
  for (let channel = 0; channel < (alpha > 0 ? 4 : 3); channel++) {
    for (const end of ends) end[channel] = bits.take(channel < 3 ? colour : alpha);
  }
  const last = ends.map((_, at) => own ? bits.take(1) : shared && at % 2 === 0 ? bits.take(1) : 0);
  const more = own | shared;
  return ends.map((end, at) =>
    end.map((value, channel) => {
      const width = channel < 3 ? colour : alpha;
      if (width === 0) return 255;
      const whole = more ? value << 1 | last[shared ? at & ~1 : at] : value,
        all = width + more,
        wide = whole << 8 - all;
      return wide | wide >> all;
    })
  );
}

function indicesOf(bits: BlockBits, parts: Parts, partition: number, width: number): number[] {
  return Array.from({ length: 16 }, (_, texel) => bits.take(isAnchor(parts, partition, texel) ? width - 1 : width));
}

/**
 * The modes of BC6H: bits of the mode, bits of numbers and of differences by channel, whether the others are differences
 * from the first, and where the bits are: a channel and the number of the colour, then its bits from the first on.
 */
interface HalfMode {
  readonly parts: 1 | 2;
  readonly bits: number;
  readonly differences: readonly [number, number, number];
  readonly isDifference: boolean;
  readonly places: string;
}
const half = (
  parts: 1 | 2,
  bits: number,
  differences: HalfMode["differences"],
  places: string,
  isDifference = true,
): HalfMode => ({ parts, bits, differences, isDifference, places });

const HALF_MODES: Readonly<Record<number, HalfMode>> = {
  0: half(
    2,
    10,
    [5, 5, 5],
    "g2.4 b2.4 b3.4 r0:10 g0:10 b0:10 r1:5 g3.4 g2:4 g1:5 b3.0 g3:4 b1:5 b3.1 b2:4 r2:5 b3.2 r3:5 b3.3",
  ),
  1: half(
    2,
    7,
    [6, 6, 6],
    "g2.5 g3.4 g3.5 r0:7 b3.0 b3.1 b2.4 g0:7 b2.5 b3.2 g2.4 b0:7 b3.3 b3.5 b3.4 r1:6 g2:4 g1:6 g3:4 b1:6 b2:4 r2:6 r3:6",
  ),
  2: half(
    2,
    11,
    [5, 4, 4],
    "r0:10 g0:10 b0:10 r1:5 r0.10 g2:4 g1:4 g0.10 b3.0 g3:4 b1:4 b0.10 b3.1 b2:4 r2:5 b3.2 r3:5 b3.3",
  ),
  6: half(
    2,
    11,
    [4, 5, 4],
    "r0:10 g0:10 b0:10 r1:4 r0.10 g3.4 g2:4 g1:5 g0.10 g3:4 b1:4 b0.10 b3.1 b2:4 r2:4 b3.0 b3.2 r3:4 g2.4 b3.3",
  ),
  10: half(
    2,
    11,
    [4, 4, 5],
    "r0:10 g0:10 b0:10 r1:4 r0.10 b2.4 g2:4 g1:4 g0.10 b3.0 g3:4 b1:5 b0.10 b2:4 r2:4 b3.1 b3.2 r3:4 b3.4 b3.3",
  ),
  14: half(
    2,
    9,
    [5, 5, 5],
    "r0:9 b2.4 g0:9 g2.4 b0:9 b3.4 r1:5 g3.4 g2:4 g1:5 b3.0 g3:4 b1:5 b3.1 b2:4 r2:5 b3.2 r3:5 b3.3",
  ),
  18: half(
    2,
    8,
    [6, 5, 5],
    "r0:8 g3.4 b2.4 g0:8 b3.2 g2.4 b0:8 b3.3 b3.4 r1:6 g2:4 g1:5 b3.0 g3:4 b1:5 b3.1 b2:4 r2:6 r3:6",
  ),
  22: half(
    2,
    8,
    [5, 6, 5],
    "r0:8 b3.0 b2.4 g0:8 g2.5 g2.4 b0:8 g3.5 b3.4 r1:5 g3.4 g2:4 g1:6 g3:4 b1:5 b3.1 b2:4 r2:5 b3.2 r3:5 b3.3",
  ),
  26: half(
    2,
    8,
    [5, 5, 6],
    "r0:8 b3.1 b2.4 g0:8 b2.5 g2.4 b0:8 b3.5 b3.4 r1:5 g3.4 g2:4 g1:5 b3.0 g3:4 b1:6 b2:4 r2:5 b3.2 r3:5 b3.3",
  ),
  30: half(
    2,
    6,
    [6, 6, 6],
    "r0:6 g3.4 b3.0 b3.1 b2.4 g0:6 g2.5 b2.5 b3.2 g2.4 b0:6 g3.5 b3.3 b3.5 b3.4 r1:6 g2:4 g1:6 g3:4 b1:6 b2:4 r2:6 r3:6",
    false,
  ),
  3: half(1, 10, [10, 10, 10], "r0:10 g0:10 b0:10 r1:10 g1:10 b1:10", false),
  7: half(1, 11, [9, 9, 9], "r0:10 g0:10 b0:10 r1:9 r0.10 g1:9 g0.10 b1:9 b0.10"),
  11: half(1, 12, [8, 8, 8], "r0:10 g0:10 b0:10 r1:8 r0.11 r0.10 g1:8 g0.11 g0.10 b1:8 b0.11 b0.10"),
  15: half(
    1,
    16,
    [4, 4, 4],
    "r0:10 g0:10 b0:10 r1:4 r0.15 r0.14 r0.13 r0.12 r0.11 r0.10 g1:4 g0.15 g0.14 g0.13 g0.12 g0.11 g0.10 b1:4 b0.15 b0.14 b0.13 b0.12 b0.11 b0.10",
  ),
};
const HALVES = new Uint16Array(1), FLOATS = new Float16Array(HALVES.buffer);

/** Decodes BC6H: floats of 16 bits. A block without a mode is black. */
export const decodeBc6h = (isSigned: boolean): DecodeBlock => (bytes, at, out) => {
  const bits = new BlockBits(bytes, at), low = bits.take(2), number = low < 2 ? low : low | bits.take(3) << 2;
  const mode = HALF_MODES[number];
  for (let texel = 0; texel < 16; texel++) out.set([0, 0, 0, 1], 4 * texel);
  if (!mode) return;
  const ends = halfEnds(bits, mode, isSigned), { parts } = mode;
  const partition = parts === 2 ? bits.take(5) : 0, width = parts === 2 ? 3 : 4;
  const indices = indicesOf(bits, parts, partition, width);
  for (let texel = 0; texel < 16; texel++) {
    const part = partOf(parts, partition, texel), weight = WEIGHTS[width][indices[texel]];
    for (let channel = 0; channel < 3; channel++) {
      const mixed = between(ends[2 * part][channel], ends[2 * part + 1][channel], weight);
      HALVES[0] = isSigned ? mixed < 0 ? 0x8000 | -mixed * 31 >> 5 : mixed * 31 >> 5 : mixed * 31 >> 6;
      out[4 * texel + channel] = FLOATS[0];
    }
  }
};

function halfEnds(bits: BlockBits, mode: HalfMode, isSigned: boolean): number[][] {
  const ends = Array.from({ length: 2 * mode.parts }, () => [0, 0, 0]);
  for (const place of mode.places.split(" ")) {
    const channel = "rgb".indexOf(place[0]), end = ends[Number(place[1])], count = Number(place.slice(3));
    if (place[2] === ":") end[channel] |= bits.take(count);
    else end[channel] |= bits.take(1) << count;
  }
  const signed = (value: number, width: number) => value << 32 - width >> 32 - width;
  const [first] = ends, mask = 2 ** mode.bits - 1;
  const base = isSigned ? first.map((value) => signed(value, mode.bits)) : first;
  return ends.map((end, at) =>
    end.map((value, channel) => {
      if (at === 0) return unquantized(base[channel], mode.bits, isSigned);
      const found = mode.isDifference ? base[channel] + signed(value, mode.differences[channel]) & mask : value;
      return unquantized(isSigned ? signed(found, mode.bits) : found, mode.bits, isSigned);
    })
  );
}

/** A number of some bits as one of 16. */
function unquantized(value: number, bits: number, isSigned: boolean): number {
  if (isSigned) {
    if (bits >= 16 || value === 0) return value;
    const size = Math.abs(value), wide = size >= 2 ** (bits - 1) - 1 ? 0x7fff : (size << 15) + 0x4000 >> bits - 1;
    return value < 0 ? -wide : wide;
  }
  if (bits >= 15 || value === 0) return value;
  return value === 2 ** bits - 1 ? 0xffff : (value << 15) + 0x4000 >> bits - 1;
}
