import type { Component, Format } from "../../../../loader/texels/format.ts";

/** The numbers of a texel that a shader reads: four of them. */
const READ = 4;
/** The numbers that a shader reads, in the order of its vector, by the names of components. */
export const PLACES: Readonly<Record<string, number>> = { R: 0, G: 1, B: 2, A: 3, D: 0, S: 0 };
/** Bits of such a number. */
const WHOLE = 32;
/** The limit of the linear part of sRGB, and the numbers of its curve. */
const SRGB = { knee: 0.0031308, slope: 12.92, scale: 1.055, power: 1 / 2.4, shift: 0.055 };

/** The kind of numbers that a shader reads from a format. */
export type ReadNumbers = "float" | "int" | "uint";

/** Returns the kind of numbers that a shader reads from a format. */
export function numbersOf({ components: [{ numericFormat }] }: Format): ReadNumbers {
  return numericFormat === "UINT" ? "uint" : numericFormat === "SINT" ? "int" : "float";
}

/** Whether texels of a format can be told from the numbers that a shader reads: not from 64 bits or a shared exponent. */
export function isPackable({ components }: Format): boolean {
  return components.every(({ name, bits }) => name in PLACES && bits <= WHOLE);
}

/**
 * Returns texels in their format, as a copy would have them, from what a
 * shader read: four numbers of 32 bits for each texel.
 */
export function packed(format: Format, read: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { blockSize, components } = format, Numbers = { float: Float32Array, int: Int32Array, uint: Uint32Array };
  const [words, numbers] = [Uint32Array, Numbers[numbersOf(format)]].map((List) =>
    new List(read.buffer, read.byteOffset, read.byteLength / 4)
  );
  const texels = new Uint8Array(numbers.length / READ * blockSize), puts = components.map(putterOf);
  for (let texel = 0; texel < numbers.length / READ; texel++) {
    for (const [index, { name, bits }] of components.entries()) {
      const from = bits === WHOLE ? words : numbers;
      puts[index](texels, texel * blockSize, from[texel * READ + PLACES[name]]);
    }
  }
  return texels;
}

type Put = (texels: Uint8Array, at: number, value: number) => void;

/** Components of 32 bits are stored as they are read. The registry calls the alpha of sRGB formats sRGB, which is linear. */
function putterOf({ name, bits, firstBit, numericFormat }: Component): Put {
  const kind = name === "A" && numericFormat === "SRGB" ? "UNORM" : numericFormat, most = 2 ** bits;
  const stored = bits < WHOLE && STORED[kind] || ((value: number) => value);
  return (texels, at, value) => put(texels, at, firstBit, (stored(value, bits) + most) % most);
}

/** Adds a whole number to bytes, from a bit on. */
function put(texels: Uint8Array, at: number, firstBit: number, value: number): void {
  let rest = value * 2 ** (firstBit & 7);
  for (let byte = at + (firstBit >> 3); rest >= 1; byte++) {
    texels[byte] |= rest % 256;
    rest = Math.floor(rest / 256);
  }
}

/** Functions that return the stored form of a number that the shader reads, by the kind of number. */
const STORED: Readonly<Record<string, (value: number, bits: number) => number>> = {
  UNORM: (value, bits) => Math.round(value * (2 ** bits - 1)),
  SNORM: (value, bits) => Math.round(value * (2 ** (bits - 1) - 1)),
  SRGB: (value, bits) => Math.round(gamma(value) * (2 ** bits - 1)),
  SFLOAT: halfBits,
  UFLOAT: (value, bits) => halfBits(value) >>> 15 - bits,
};

function gamma(value: number): number {
  const { knee, slope, scale, power, shift } = SRGB;
  return value <= knee ? value * slope : scale * value ** power - shift;
}

/** The bits of a float of 16 bits. Unsigned floats have the same exponent, and a shorter mantissa. */
function halfBits(value: number): number {
  return new Uint16Array(Float16Array.of(value).buffer)[0];
}
