/** How the numbers of a format are meant. */
export type Numbers = "unorm" | "snorm" | "uint" | "sint" | "float" | "srgb" | "shared" | "depth" | "stencil" | "both";

/** What the generator knows of a format. */
export interface Format {
  /** VkFormat. */
  readonly value: number;
  /** The name without VK_FORMAT_. */
  readonly name: string;
  /** How the numbers are meant. */
  readonly numbers: Numbers;
  /** Bytes of a texel. */
  readonly bytes: number;
  /** Bits of each component, the lowest first. */
  readonly fields: readonly number[];
}

/** Formats whose components have whole bytes: for each group the first VkFormat, the components and their bits. */
const GROUPS: readonly (readonly [first: number, name: string, count: number, bits: number])[] = [
  [9, "R8", 1, 8],
  [16, "R8G8", 2, 8],
  [23, "R8G8B8", 3, 8],
  [30, "B8G8R8", 3, 8],
  [37, "R8G8B8A8", 4, 8],
  [44, "B8G8R8A8", 4, 8],
  [51, "A8B8G8R8_PACK32", 4, 8],
  [70, "R16", 1, 16],
  [77, "R16G16", 2, 16],
  [84, "R16G16B16", 3, 16],
  [91, "R16G16B16A16", 4, 16],
];
/** The members of such a group by their distance from the first. */
const MEMBERS: readonly (readonly [distance: number, numbers: Numbers])[] = [
  [0, "unorm"],
  [1, "snorm"],
  [4, "uint"],
  [5, "sint"],
];
const WIDE: readonly (readonly [first: number, name: string, count: number])[] = [
  [98, "R32", 1],
  [101, "R32G32", 2],
  [104, "R32G32B32", 3],
  [107, "R32G32B32A32", 4],
];
const PACKED: readonly (readonly [value: number, name: string, numbers: Numbers, fields: readonly number[]])[] = [
  [1, "R4G4_UNORM_PACK8", "unorm", [4, 4]],
  [2, "R4G4B4A4_UNORM_PACK16", "unorm", [4, 4, 4, 4]],
  [3, "B4G4R4A4_UNORM_PACK16", "unorm", [4, 4, 4, 4]],
  [4, "R5G6B5_UNORM_PACK16", "unorm", [5, 6, 5]],
  [5, "B5G6R5_UNORM_PACK16", "unorm", [5, 6, 5]],
  [6, "R5G5B5A1_UNORM_PACK16", "unorm", [1, 5, 5, 5]],
  [7, "B5G5R5A1_UNORM_PACK16", "unorm", [1, 5, 5, 5]],
  [8, "A1R5G5B5_UNORM_PACK16", "unorm", [5, 5, 5, 1]],
  [58, "A2R10G10B10_UNORM_PACK32", "unorm", [10, 10, 10, 2]],
  [62, "A2R10G10B10_UINT_PACK32", "uint", [10, 10, 10, 2]],
  [64, "A2B10G10R10_UNORM_PACK32", "unorm", [10, 10, 10, 2]],
  [68, "A2B10G10R10_UINT_PACK32", "uint", [10, 10, 10, 2]],
  [122, "B10G11R11_UFLOAT_PACK32", "float", [11, 11, 10]],
  [123, "E5B9G9R9_UFLOAT_PACK32", "shared", [9, 9, 9, 5]],
  [124, "D16_UNORM", "depth", [16]],
  [125, "X8_D24_UNORM_PACK32", "depth", [24]],
  [126, "D32_SFLOAT", "depth", [32]],
  [127, "S8_UINT", "stencil", [8]],
  [129, "D24_UNORM_S8_UINT", "both", [24]],
  [130, "D32_SFLOAT_S8_UINT", "both", [32]],
];

/** All formats that the generator knows. */
export function allFormats(): Format[] {
  return [...GROUPS.flatMap(groupOf), ...WIDE.flatMap(wideOf), ...PACKED.map(packedOf)];
}

function groupOf([first, name, count, bits]: typeof GROUPS[number]): Format[] {
  const last: readonly [number, Numbers] = [6, bits === 8 ? "srgb" : "float"];
  return [...MEMBERS, last].map(([distance, numbers]) => ({
    value: first + distance,
    name: named(name, numbers),
    numbers,
    bytes: count * bits / 8,
    fields: Array<number>(count).fill(bits),
  }));
}

function wideOf([first, name, count]: typeof WIDE[number]): Format[] {
  return (["uint", "sint", "float"] as const).map((numbers, index) => ({
    value: first + index,
    name: named(name, numbers),
    numbers,
    bytes: 4 * count,
    fields: Array<number>(count).fill(32),
  }));
}

function named(name: string, numbers: Numbers): string {
  const word = numbers === "float" ? "SFLOAT" : numbers.toUpperCase();
  return name.includes("_") ? name.replace("_", `_${word}_`) : `${name}_${word}`;
}

function packedOf([value, name, numbers, fields]: typeof PACKED[number]): Format {
  const bits = fields.reduce((sum, each) => sum + each, 0);
  return { value, name, numbers, bytes: bits > 16 ? 4 : bits > 8 ? 2 : 1, fields };
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

/** Whether every pattern of bits is a value of its own, so that bytes can become texels and texels bytes. */
export function isPlain({ numbers }: Format): boolean {
  return numbers === "unorm" || numbers === "uint" || numbers === "sint" || numbers === "srgb";
}

/** Whether a format's numbers are integers. */
export function isInteger({ numbers }: Format): boolean {
  return numbers === "uint" || numbers === "sint";
}

/** Returns the name of a VkFormat that the generator knows. */
export function formatName(value: number): string {
  return allFormats().find((format) => format.value === value)?.name ?? `format ${value}`;
}
