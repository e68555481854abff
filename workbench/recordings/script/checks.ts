import { VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL } from "../../../loader/gen/enums_core_gen.js";
import { turnLine } from "./barriers.ts";
import { aspectsOf } from "../../../loader/texels/format.ts";
import { ASPECT_BITS, type ComparedPiece, formatOfPiece, layerSize } from "../compare/contents/piece.ts";
import type { DriverDifference, PieceDifference } from "../compare/finding.ts";
import { aspectMaskOf } from "./condensed_view.ts";
import { braces, brackets, type Node } from "./node.ts";
import { areFloats, exactText, wholeText, wordsIn } from "./numbers.ts";
import { type Program, submission } from "./program.ts";
import { sampleCheck } from "./sample_check.ts";

const WORD = 4, DEPTH_24 = 24;
/** The most bytes of a buffer, and the most texels of a row of an image, that are compared. */
const MOST_BYTES = 64, MOST_TEXELS = 8;

/** Bytes that both drivers gave. */
type Both = readonly [Uint8Array, Uint8Array];

/** Writes the statements that read what differs first, and expect what the first driver gave. */
export function checksOf({ differences, contents }: DriverDifference, program: Program) {
  if (differences.length === 0) return [];
  const first = differenceIn(differences);
  const both = contents.get(first.piece.name)!;
  if (hasSamples(first.piece)) return sampleCheck(first, both, program);
  return first.piece.image ? imageCheck(first, both, program) : bufferCheck(first.piece, both, program);
}

/** The difference that a script shows: the first that a copy can read, if there is one. */
export function differenceIn(differences: readonly PieceDifference[]): PieceDifference {
  return differences.find(({ piece }) => !hasSamples(piece)) ?? differences[0];
}

function hasSamples({ image }: ComparedPiece): boolean {
  return (image?.samples ?? 1) > 1;
}

function bufferCheck({ resource }: ComparedPiece, both: Both, { variables }: Program): Node[] {
  const [one, other] = both, differs = [...one.keys()].filter((at) => one[at] !== other[at]);
  const from = Math.floor(differs[0] / WORD) * WORD, end = Math.floor(differs.at(-1)! / WORD + 1) * WORD;
  const to = Math.min(end, from + MOST_BYTES, one.length), isMore = differs.some((at) => at >= to);
  const about = isMore ? `Of ${differs.length} bytes that differ, these are the first. ` : "";
  return comparison(variables.of(resource), from, both.map((bytes) => bytes.subarray(from, to)), about);
}

/** Copies the first texels that differ in a row, and compares them. */
function imageCheck({ piece, at }: PieceDifference, both: Both, program: Program): Node[] {
  const { level, layers, width } = piece.image!, { blockSize, blockExtent, components } = formatOfPiece(piece)!;
  const { x, y, layer } = at!, image = program.variables.of(piece.resource);
  const first = layers.indexOf(layer) * layerSize(piece) / blockSize + blockIn(piece, at!);
  const count = differingRun(both, first, blockSize, Math.ceil((width - x) / blockExtent[0]));
  const bytes = both.map((each) => each.slice(first * blockSize, (first + count) * blockSize));
  const mask = piece.image!.aspect === "depth" && components[0].bits === DEPTH_24
    ? ".map((word) => word & 0xffffff)"
    : "";
  return [
    ...reading({ piece, at }, count, bytes[0].length, program),
    ...comparison(
      "texels",
      0,
      bytes,
      `These are texels of ${image} from ${x}, ${y} on, layer ${layer}, level ${level}. `,
      mask,
    ),
  ];
}

/** The statements that read a part of an image, which has a layout for that first. */
function reading(
  { piece: { resource, image }, at }: PieceDifference,
  count: number,
  bytes: number,
  { values, variables, tracker }: Program,
): Node[] {
  const { level, aspect, format, width, height } = image!, { x, y, z, layer } = at!, name = variables.of(resource);
  const [across, down] = formatOfPiece({ name: "", resource, image })!.blockExtent;
  const extent = { width: Math.min(count * across, width - x), height: Math.min(down, height - y) };
  const aspectMask = aspectMaskOf(format);
  const subresourceRange = { aspectMask, baseMipLevel: level, levelCount: 1, baseArrayLayer: layer, layerCount: 1 };
  const oldLayout = tracker.layouts.of(resource, level, layer)!;
  const readable = [VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL];
  const isReadable = readable.includes(oldLayout) || aspectsOf(format).length === 1;
  const newLayout = isReadable ? oldLayout : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const turned = { image: resource, oldLayout, newLayout, subresourceRange };
  const region = values.members("VkBufferImageCopy", {
    imageSubresource: {
      ...aspect !== "color" && { aspectMask: ASPECT_BITS[aspect] },
      mipLevel: level,
      baseArrayLayer: layer,
    },
    imageOffset: { x, y, z },
    ...(extent.width > 1 || extent.height > 1) && { imageExtent: extent },
  });
  const place = [name, values.of({ name: "layout", type: "VkImageLayout" }, newLayout), `${bytes}`];
  return [
    ...isReadable ? [] : [submission([turnLine(turned, { values, variables, resources: tracker.resources })])],
    {
      open: "const texels = readImage(",
      items: [...place, ...region.length > 0 ? [braces(region)] : []],
      close: ");",
      fills: true,
    },
  ];
}

/** The number of a block in its layer. */
function blockIn(piece: ComparedPiece, { x, y, z }: NonNullable<PieceDifference["at"]>): number {
  const { width, height } = piece.image!, [across, down] = formatOfPiece(piece)!.blockExtent;
  return (z * Math.ceil(height / down) + y / down) * Math.ceil(width / across) + x / across;
}

/** Returns the number of blocks behind each other that differ. */
function differingRun([one, other]: Both, first: number, size: number, inRow: number): number {
  const isSame = (block: number) => {
    const at = (first + block) * size;
    return one.subarray(at, at + size).every((byte, index) => byte === other[at + index]);
  };
  let count = 1;
  while (count < Math.min(inRow, MOST_TEXELS) && !isSame(count)) count++;
  return count;
}

/** Compares bytes of a buffer of the script, as words or floats where the bytes are some. */
function comparison(name: string, from: number, both: readonly Uint8Array[], about: string, mask = ""): Node[] {
  const [one] = both, isWords = from % WORD === 0 && one.length % WORD === 0;
  const isFloat = isWords && mask === "" && areFloats(new Uint32Array(both.flatMap((bytes) => [...wordsIn(bytes)])));
  const view = isFloat ? "floats" : isWords ? "words" : "bytes", unit = isWords ? WORD : 1;
  const [expected, found] = both.map((bytes) => numbersIn(bytes, view));
  const part = `[...${name}.${view}.subarray(${from / unit}, ${(from + one.length) / unit})]${mask}`;
  return [
    `// ${about}B gives ${found.join(", ")}.`,
    { open: "deepStrictEqual(", items: [part, brackets(expected, true)], close: ");" },
  ];
}

function numbersIn(bytes: Uint8Array, view: "floats" | "words" | "bytes"): string[] {
  if (view === "bytes") return [...bytes].map(wholeText);
  const words = wordsIn(bytes);
  return view === "words"
    ? [...words].map(wholeText)
    : [...new Float32Array(words.buffer)].map((each) => exactText(each));
}
