import { FORMATS } from "../gen/formats_gen.js";

/** The storage of a component's numbers, as the registry names it. */
export type NumericFormat =
  | "UNORM"
  | "SNORM"
  | "USCALED"
  | "SSCALED"
  | "UINT"
  | "SINT"
  | "UFLOAT"
  | "SFLOAT"
  | "SRGB"
  | "SFIXED5"
  | "BOOL";

/** A component of a texel. */
export interface Component {
  /** Such as `"R"`. */
  readonly name: string;
  /** Number of bits; 0 for compressed ones. */
  readonly bits: number;
  /** The storage of its numbers. */
  readonly numericFormat: NumericFormat;
  /** The first bit, from the least significant bit of the texel's first byte. */
  readonly firstBit: number;
}

/** The layout of texels in memory when one aspect of an image is copied to a buffer. */
export interface Format {
  /** Bytes of a block of texels. */
  readonly blockSize: number;
  /** Texels of a block: width, height, depth. */
  readonly blockExtent: readonly [number, number, number];
  /** The components in the order of the registry. */
  readonly components: readonly Component[];
}

/** A part of an image that a copy takes alone. */
export type ImageAspect = "color" | "depth" | "stencil";

const known = new Map<string, Format | undefined>();
const D24_BITS = 24, D24_SIZE = 4;

/** Returns the parts of an image of a VkFormat; none for formats of several planes and unknown ones. */
export function aspectsOf(format: number): readonly ImageAspect[] {
  const names = wholeFormat(format)?.components.map(({ name }) => name) ?? [];
  if (names.length === 0) return [];
  const parts: ImageAspect[] = [];
  if (names.includes("D")) parts.push("depth");
  if (names.includes("S")) parts.push("stencil");
  return parts.length > 0 ? parts : ["color"];
}

/** Returns how texels of one aspect of a VkFormat lie in a buffer. Throws a `TypeError` if there is no such aspect. */
export function formatOf(format: number, aspect: ImageAspect = "color"): Format {
  const key = `${format} ${aspect}`;
  if (!known.has(key)) known.set(key, partOf(wholeFormat(format), aspect));
  const found = known.get(key);
  if (found) return found;
  throw new TypeError(`VkFormat ${format} has no ${aspect} that can be copied; it may have several planes`);
}

/** Copies of depth have 16 bits, 32, or 24 in 32; copies of stencil have 8. */
function partOf(whole: Format | undefined, aspect: ImageAspect): Format | undefined {
  if (!whole || aspect === "color") return whole;
  const component = whole.components.find(({ name }) => name === aspect[0].toUpperCase());
  if (!component) return undefined;
  const blockSize = component.bits === D24_BITS ? D24_SIZE : component.bits / 8;
  return { blockSize, blockExtent: [1, 1, 1], components: [{ ...component, firstBit: 0 }] };
}

/** Returns every VkFormat of one plane, in the order of the registry. */
export function formatValues(): number[] {
  return Array.from(FORMATS.matchAll(/^\d+/gm), ([value]) => Number(value));
}

function wholeFormat(format: number): Format | undefined {
  const at = FORMATS.indexOf(`\n${format} `);
  return at < 0 ? undefined : parse(FORMATS.slice(at + 1, FORMATS.indexOf("\n", at + 1)));
}

/** One line of the generated table. */
function parse(line: string): Format {
  const [, blockSize, extent, packed, ...groups] = line.split(" ");
  const listed = groups.flatMap((group) => {
    const [text, numericFormat] = group.split("=");
    return [...text.matchAll(/([A-Z])(\d+)/g)].map(([, name, bits]) => ({
      name,
      bits: Number(bits),
      numericFormat: numericFormat as NumericFormat,
    }));
  });
  const blockExtent = extent.split("x").map(Number) as [number, number, number];
  return { blockSize: Number(blockSize), blockExtent, components: placed(listed, Number(packed)) };
}

/** Words of 16 bits that hold one component of 10 or 12 keep the component at their top. */
const WORD = 16, PADDED = 10;
/** Components of 9 bits share an exponent, which the registry does not list. Both are compared as whole numbers. */
const MANTISSA = 9, SHARED = { name: "E", bits: 5, numericFormat: "UINT" } as const;

/** Packed components are named from the most significant bit on, others in the order of their bytes. */
function placed(listed: readonly Omit<Component, "firstBit">[], packed: number): Component[] {
  if (listed[0]?.bits === MANTISSA) return placed([SHARED, ...listed.map(asWhole)], packed);
  const used = listed.reduce((sum, { bits }) => sum + bits, 0);
  let below = 0;
  return listed.map((each, index) => {
    const { bits } = each, before = below;
    below += bits;
    if (packed === WORD && bits >= PADDED) return { ...each, firstBit: (index + 1) * WORD - bits };
    return { ...each, firstBit: packed > 0 ? used - below : before };
  });
}

function asWhole<T extends Omit<Component, "firstBit">>(component: T): T {
  return { ...component, numericFormat: "UINT" };
}
