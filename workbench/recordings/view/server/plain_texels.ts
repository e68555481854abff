import type { Component, Format, NumericFormat } from "../../../../loader/texels/format.ts";
import { numberAt } from "../../../../loader/texels/number.ts";
import { type BlockFormat, blockFormat, decodedTexels } from "../blocks/decode.ts";
import { formatOfPiece, layerSize } from "../../compare/contents/piece.ts";
import type { ComparedPiece } from "../../compare/contents/piece.ts";

/** The types that a page's typed arrays read. */
export type PlainType = "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "f16" | "f32" | "f64";

/** A component of a texel that a page can read. */
export interface PlainComponent {
  /** Such as `"R"`, `"D"` or `"S"`. */
  readonly name: string;
  readonly type: PlainType;
  /** Bytes from the start of the texel. */
  readonly offset: number;
  /** The meaning of the numbers. */
  readonly meaning: NumericFormat;
  /** The numbers that are black and white, where the format says it. */
  readonly limits?: readonly [number, number];
}

/** One slice of one layer of an image, in rows without gaps from the top. */
export interface PlainTexels {
  readonly width: number;
  readonly height: number;
  /** Bytes of a texel. */
  readonly stride: number;
  readonly components: readonly PlainComponent[];
  /** A remark that a reader of the picture needs. */
  readonly note?: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The part of a piece that is one picture. */
export interface SliceOfPiece {
  /** The array layer, one of the piece's. */
  readonly layer: number;
  readonly sample: number;
  readonly z: number;
  /** Only every so many texels, so that neither side has more than these. Default: all. */
  readonly most?: number;
}

/** The most bytes of a picture. */
export const MOST_BYTES = 2 ** 28;
const SIZES: Readonly<Record<PlainType, number>> = {
  u8: 1,
  i8: 1,
  u16: 2,
  i16: 2,
  u32: 4,
  i32: 4,
  f16: 2,
  f32: 4,
  f64: 8,
};
const FLOATS: Readonly<Record<number, PlainType>> = { 16: "f16", 32: "f32", 64: "f64" };
/** Components with so few bits have a table of all their numbers. */
const TABLED = 16;
/** The exponent of a format in which three mantissas of 9 bits share one. */
const SHARED_BIAS = 15 + 9;

/** Returns a slice of an image for a page. Throws a `RangeError` for a slice that the image lacks, and one that is too large. */
export function plainTexels(piece: ComparedPiece, contents: Uint8Array<ArrayBuffer>, slice: SliceOfPiece): PlainTexels {
  const format = formatOfPiece(piece)!, { blockSize, blockExtent } = format;
  const { layers, samples, width, height, depth } = piece.image!;
  const [across, down] = [Math.ceil(width / blockExtent[0]), Math.ceil(height / blockExtent[1])];
  const index = layers.indexOf(slice.layer), size = across * down * blockSize;
  if (index < 0 || slice.sample >= samples || slice.z >= depth) {
    throw new RangeError(
      `${piece.name} has no layer ${slice.layer}, sample ${slice.sample}, slice ${slice.z} with contents`,
    );
  }
  if (size > MOST_BYTES) throw new RangeError(`${piece.name} is too large for a page: ${size} bytes`);
  const decoding = blockFormat(piece.image!.format);
  const start = (index * samples + slice.sample) * layerSize(piece) + Math.floor(slice.z / blockExtent[2]) * size;
  if (decoding) return decodedSlice(piece, decoding, contents.subarray(start, start + size), slice.most);
  const seen = thinned({
    width: across,
    height: down,
    stride: blockSize,
    bytes: contents.subarray(start, start + size),
  }, slice.most);
  if (isCompressed(format)) return { ...seen, components: FIRST_BYTES, note: undecoded(format) };
  const plain = componentsIn(format);
  return plain ? { ...seen, components: plain } : { ...seen, ...converted(format, seen.bytes) };
}

/** A slice of a compressed image that is decoded here. */
function decodedSlice(
  { name, image }: ComparedPiece,
  decoding: BlockFormat,
  bytes: Uint8Array,
  most: number = Infinity,
): PlainTexels {
  const { format, width, height } = image!, { channels, numbers } = decoding, isBytes = numbers === "bytes";
  const step = Math.max(1, Math.ceil(Math.max(width, height) / most)), each = isBytes ? 1 : 4;
  const columns = Math.ceil(width / step), rows = Math.ceil(height / step), size = columns * rows * channels * each;
  if (size > MOST_BYTES) throw new RangeError(`${name} is too large for a page: ${size} bytes when decoded`);
  const signs: Readonly<Record<BlockFormat["numbers"], Omit<PlainComponent, "name" | "offset">>> = {
    bytes: { type: "u8", meaning: "UNORM", limits: [0, 255] },
    shares: { type: "f32", meaning: "UNORM", limits: [0, 1] },
    "signed shares": { type: "f32", meaning: "SNORM", limits: [-1, 1] },
    floats: { type: "f32", meaning: "SFLOAT" },
  };
  return {
    width: columns,
    height: rows,
    stride: channels * each,
    components: [..."RGBA"].slice(0, channels).map((name, at) => ({ name, offset: at * each, ...signs[numbers] })),
    note: "decoded",
    bytes: decodedTexels({ format, width, height, bytes }, decoding, step),
  };
}

/** The components as they lie, if a page can read them all so. */
function componentsIn(format: Format): PlainComponent[] | undefined {
  const found = format.components.map((component) => {
    const { bits, firstBit, name, numericFormat } = component, type = typeOf(component);
    const isPlain = type !== undefined && firstBit % bits === 0 && format.blockSize % SIZES[type] === 0;
    return isPlain ? { name, type, offset: firstBit / 8, meaning: numericFormat, ...limitsOf(component) } : undefined;
  });
  return found.every((each) => each !== undefined) ? found : undefined;
}

/** The first bytes of a block that is not decoded: whole numbers, which are no colours of any texel. */
const FIRST_BYTES: readonly PlainComponent[] = [..."RGB"].map((name, offset) => ({
  name,
  type: "u8",
  offset,
  meaning: "UINT",
}));

/** Returns the remark that the picture is not that of the texels. */
function undecoded({ blockExtent: [width, height, depth] }: Format): string {
  const size = [width, height, ...depth > 1 ? [depth] : []].join(" × ");
  return `not decoded: one pixel is one block of ${size} texels, and its colour the first three bytes`;
}

function isCompressed({ blockExtent }: Format): boolean {
  return blockExtent.some((length) => length > 1);
}

function typeOf({ bits, numericFormat }: Component): PlainType | undefined {
  if (numericFormat.endsWith("FLOAT")) return FLOATS[bits];
  const sign = isSigned(numericFormat) ? "i" : "u";
  return bits === 8 || bits === 16 || bits === 32 ? `${sign}${bits}` : undefined;
}

function isSigned(format: NumericFormat): boolean {
  return format === "SNORM" || format === "SINT" || format === "SSCALED" || format === "SFIXED5";
}

/** The limits of whole numbers that stand for 0 to 1; depth and floats have those of their contents. */
function limitsOf({ name, bits, numericFormat }: Component): { readonly limits?: readonly [number, number] } {
  if (numericFormat === "UNORM" || numericFormat === "SRGB") return name === "D" ? {} : { limits: [0, 2 ** bits - 1] };
  return numericFormat === "SNORM" ? { limits: [1 - 2 ** (bits - 1), 2 ** (bits - 1) - 1] } : {};
}

/** The components of packed texels as numbers of four bytes, and eight where those are too few. */
function converted(format: Format, bytes: Uint8Array<ArrayBuffer>): Omit<PlainTexels, "width" | "height"> {
  const { components, blockSize } = format, texels = Math.floor(bytes.length / blockSize);
  const isShared = components[0].name === "E", wanted = isShared ? components.slice(1).reverse() : components;
  const isLong = components.some(({ bits }) => bits > 32), width = isLong ? 8 : 4, stride = width * wanted.length;
  const found = new Uint8Array(texels * stride), view = new DataView(found.buffer);
  const types = wanted.map((each): PlainType => isLong ? "f64" : isShared ? "f32" : wideTypeOf(each));
  const exponent = isShared ? readerOf(components[0], bytes, blockSize) : () => 0;
  for (const [index, component] of wanted.entries()) {
    const read = readerOf(component, bytes, blockSize), write = writerOf(view, types[index]);
    for (let at = 0, to = index * width; at < texels * blockSize; at += blockSize, to += stride) {
      const value = read(at);
      write(to, isShared ? value * 2 ** (exponent(at) - SHARED_BIAS) : value);
    }
  }
  const plain = wanted.map((component, index) => ({
    name: component.name,
    type: types[index],
    offset: index * width,
    meaning: isShared ? "UFLOAT" as const : component.numericFormat,
    ...isShared ? {} : limitsOf(component),
  }));
  return { stride, components: plain, bytes: found };
}

function wideTypeOf({ numericFormat }: Component): PlainType {
  return numericFormat.endsWith("FLOAT") ? "f32" : isSigned(numericFormat) ? "i32" : "u32";
}

function writerOf(view: DataView, type: PlainType): (at: number, value: number) => void {
  if (type === "f64") return (at, value) => view.setFloat64(at, value, true);
  if (type === "f32") return (at, value) => view.setFloat32(at, value, true);
  return type === "i32"
    ? (at, value) => view.setInt32(at, value, true)
    : (at, value) => view.setUint32(at, value, true);
}

/** Reads a component of the texel at an offset: few bits by a table of all numbers, which is faster than to decode each. */
function readerOf(component: Component, bytes: Uint8Array, size: number): (at: number) => number {
  const { bits, firstBit } = component, word = firstBit >> 5 << 2;
  const isInWord = (firstBit & 31) + bits <= 32 && (size % 4 === 0 || size === 2);
  if (bits > TABLED || !isInWord) return (at) => numberAt(bytes, at, component);
  const scratch = new Uint8Array(4), words = new DataView(scratch.buffer), alone = { ...component, firstBit: 0 };
  const table = Float64Array.from({ length: 2 ** bits }, (_, stored) => {
    words.setUint32(0, stored, true);
    return numberAt(scratch, 0, alone);
  });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), shift = firstBit & 31, mask = 2 ** bits - 1;
  if (size === 2) return (at) => table[view.getUint16(at, true) >>> shift & mask];
  return (at) => table[view.getUint32(at + word, true) >>> shift & mask];
}

/** Leaves out texels, so that neither side has more than `most`. */
function thinned<T extends Omit<PlainTexels, "components">>(texels: T, most: number = Infinity): T {
  const { width, height, stride, bytes } = texels, step = Math.ceil(Math.max(width, height) / most);
  if (step <= 1) return texels;
  const across = Math.ceil(width / step), down = Math.ceil(height / step), few = new Uint8Array(across * down * stride);
  for (let y = 0, to = 0; y < down; y++) {
    for (let x = 0; x < across; x++, to += stride) {
      const from = (y * step * width + x * step) * stride;
      for (let byte = 0; byte < stride; byte++) few[to + byte] = bytes[from + byte];
    }
  }
  return { ...texels, width: across, height: down, bytes: few };
}
