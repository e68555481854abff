import { type Component, formatOf, type ImageAspect } from "../../../../loader/texels/format.ts";
import type { Fields } from "../../state_tracker/fields.ts";

const CHANNELS = "RGBA";
/** Bits of the mantissa, and the largest number, of floats with an exponent of five bits, by all of their bits. */
const SHORT: Readonly<Record<number, { readonly mantissa: number; readonly most: number }>> = {
  10: { mantissa: 5, most: 64512 },
  11: { mantissa: 6, most: 65024 },
  16: { mantissa: 10, most: 65504 },
};
/** The exponent of the least normal number of such floats. */
const LEAST = -14;

/**
 * Whether all drivers store the same for a clear value, since no component has
 * to be rounded. `value` is a VkClearValue or a member of it, as a recording has it.
 */
export function isExactClear(format: number, aspect: ImageAspect, value: Fields | undefined): boolean {
  const { components } = formatOf(format, aspect), known: Fields = value?.depthStencil ?? value?.color ?? value ?? {};
  if (aspect === "stencil") return true;
  const numbers = floatsIn(known);
  if (aspect === "depth") return isStored(known.depth ?? numbers[0], components[0]);
  // Components that share an exponent are listed as whole numbers, which they are not.
  if (components[0].name === "E") return numbers.every((each) => each === 0);
  return components.every((each) => each.numericFormat.endsWith("INT") || isStored(numbers[placeOf(each)], each));
}

function placeOf({ name }: Component): number {
  return CHANNELS.indexOf(name);
}

/** A recording has the first member of a union that holds all of its bits. */
function floatsIn({ float32, int32, uint32 = [] }: Fields): number[] {
  if (float32) return [...float32].map(Math.fround);
  return [...new Float32Array((int32 ? Int32Array.from(int32) : Uint32Array.from(uint32)).buffer)];
}

function isStored(value: number | undefined, { name, bits, numericFormat }: Component): boolean {
  if (value === undefined || !Number.isFinite(value)) return false;
  if (name === "D" && (value < 0 || value > 1)) return false;
  if (numericFormat.endsWith("FLOAT")) return isFloat(value, bits, numericFormat);
  if (numericFormat === "UNORM") return value >= 0 && value <= 1 && Number.isInteger(value * (2 ** bits - 1));
  if (numericFormat === "SNORM") return Math.abs(value) <= 1 && Number.isInteger(value * (2 ** (bits - 1) - 1));
  return value === 0 || numericFormat === "SRGB" && value === 1;
}

function isFloat(value: number, bits: number, numericFormat: string): boolean {
  const short = SHORT[bits];
  if (!short) return true;
  if (numericFormat === "UFLOAT" && value < 0) return false;
  const exponent = value === 0 ? LEAST : Math.max(LEAST, Math.floor(Math.log2(Math.abs(value))));
  return Math.abs(value) <= short.most && Number.isInteger(value / 2 ** (exponent - short.mantissa));
}
