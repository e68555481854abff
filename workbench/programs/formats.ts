import { ENUM_NAMES } from "../../loader/gen/enum_names_gen.js";
import {
  VK_FORMAT_ASTC_12x12_SRGB_BLOCK,
  VK_FORMAT_S8_UINT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_IMAGE_ASPECT_DEPTH_BIT,
  VK_IMAGE_ASPECT_STENCIL_BIT,
} from "../../loader/gen/enums_core_gen.js";
import { Names } from "../../loader/layers/shipped/trace/names.ts";
import { aspectsOf as aspectNamesOf, type Component, formatOf, formatValues } from "../../loader/texels/format.ts";
import type { Extent } from "./resources.ts";

/** The meaning of a format's numbers. */
export type Numbers =
  | "unorm"
  | "snorm"
  | "uscaled"
  | "sscaled"
  | "uint"
  | "sint"
  | "float"
  | "srgb"
  | "shared"
  | "depth"
  | "stencil"
  | "both"
  | "block";

/** The generator's facts about a format. */
export interface Format {
  /** VkFormat. */
  readonly value: number;
  /** The name without VK_FORMAT_. */
  readonly name: string;
  /** The meaning of the numbers. */
  readonly numbers: Numbers;
  /** Bytes of a texel, or of a block. */
  readonly bytes: number;
  /** Bits of each component, the lowest first; none for compressed formats. */
  readonly fields: readonly number[];
  /** Columns and rows of a block of a compressed format; 1, 1 for others. */
  readonly block: readonly [width: number, height: number];
}

const PREFIX = "VK_FORMAT_";

/**
 * All formats that the generator knows: those of Vulkan 1.0. Those whose
 * components have whole bytes come first, and compressed ones last. A program
 * chooses by index, so that another order would give other programs.
 */
export function allFormats(): readonly Format[] {
  return all ??= describeAll();
}

/** Each draw of a program chooses among the formats. */
let all: readonly Format[] | undefined;

function describeAll(): Format[] {
  const names = new Names(ENUM_NAMES);
  const known = formatValues().filter((value) => value <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK)
    .map((value) => describe(value, names));
  const rankOf = (format: Format) =>
    isBlock(format) ? 2 : isColor(format) && format.fields.every((bits) => bits % 8 === 0) ? 0 : 1;
  return known.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** The bytes and fields of a format with depth and stencil are those of depth, which is copied alone. */
function describe(value: number, names: Names): Format {
  const [aspect] = aspectNamesOf(value), { blockSize: bytes, blockExtent, components } = formatOf(value, aspect);
  const [width, height] = blockExtent, name = nameOf(value, names), block = [width, height] as const;
  if (width > 1) return { value, name, numbers: "block", bytes, fields: [], block };
  const fields = components.toSorted((one, other) => one.firstBit - other.firstBit).map(({ bits }) => bits);
  return { value, name, numbers: numbersOf(formatOf(value).components), bytes, fields, block };
}

function numbersOf(components: readonly Component[]): Numbers {
  const all = components.map(({ name }) => name).join("");
  if (all === "DS") return "both";
  if (all === "D") return "depth";
  if (all === "S") return "stencil";
  if (all.includes("E")) return "shared";
  if (components.some(({ numericFormat }) => numericFormat === "SRGB")) return "srgb";
  const { numericFormat } = components[0];
  return numericFormat.endsWith("FLOAT") ? "float" : numericFormat.toLowerCase() as Numbers;
}

/** Whether a format has depth. */
export function hasDepth({ numbers }: Format): boolean {
  return numbers === "depth" || numbers === "both";
}

/** Whether a format has stencil. */
export function hasStencil({ numbers }: Format): boolean {
  return numbers === "stencil" || numbers === "both";
}

/** Whether a format has colour. */
export function isColor(format: Format): boolean {
  return !hasDepth(format) && !hasStencil(format);
}

/** Whether a format is compressed. */
export function isBlock({ numbers }: Format): boolean {
  return numbers === "block";
}

/** Returns how many bytes texels of a format are in a buffer without gaps. */
export function sizeOf({ bytes, block: [across, down] }: Format, { width, height, depth }: Extent): number {
  return Math.ceil(width / across) * Math.ceil(height / down) * depth * bytes;
}

const STENCIL: Format = {
  value: VK_FORMAT_S8_UINT,
  name: "S8_UINT",
  numbers: "stencil",
  bytes: 1,
  fields: [8],
  block: [1, 1],
};

/** Returns the aspects of a format, each with the format that its texels have in buffers. */
export function aspectsOf(format: Format): { aspectMask: number; part: Format }[] {
  if (isColor(format)) return [{ aspectMask: VK_IMAGE_ASPECT_COLOR_BIT, part: format }];
  return [
    ...hasDepth(format)
      ? [{ aspectMask: VK_IMAGE_ASPECT_DEPTH_BIT, part: { ...format, numbers: "depth" as const } }]
      : [],
    ...hasStencil(format) ? [{ aspectMask: VK_IMAGE_ASPECT_STENCIL_BIT, part: STENCIL }] : [],
  ];
}

/** Whether every pattern of bits is a value of its own, so that bytes can become texels and texels bytes. */
export function isPlain({ numbers }: Format): boolean {
  return /^(unorm|uint|sint|srgb|uscaled|sscaled)$/.test(numbers);
}

/** Whether a format's integers become real numbers as they are. */
export function isScaled({ numbers }: Format): boolean {
  return numbers === "uscaled" || numbers === "sscaled";
}

/** Whether a format has components of 64 bits, which no shader here reads or writes. */
export function isWide({ fields }: Format): boolean {
  return fields[0] > 32;
}

/** Whether a format's numbers are integers. */
export function isInteger({ numbers }: Format): boolean {
  return numbers === "uint" || numbers === "sint";
}

/** Returns the name of a VkFormat without VK_FORMAT_. */
export function formatName(value: number): string {
  return nameOf(value, new Names(ENUM_NAMES));
}

function nameOf(value: number, names: Names): string {
  const name = names.of("VkFormat", value)!;
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : `format ${value}`;
}
