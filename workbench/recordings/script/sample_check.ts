import { VK_IMAGE_VIEW_TYPE_2D } from "../../../loader/gen/enums_core_gen.js";
import type { Component } from "../../../loader/texels/format.ts";
import { numberAt } from "../../../loader/texels/number.ts";
import { numbersOf, PLACES } from "../compare/contents/pack.ts";
import { type ComparedPiece, formatOfPiece, layerSize } from "../compare/contents/piece.ts";
import { SHADERS, SIDE } from "../compare/contents/samples.ts";
import type { PieceDifference } from "../compare/finding.ts";
import { aspectMaskOf } from "./condensed_view.ts";
import { braces, brackets, type Node } from "./node.ts";
import { exactText, wholeText } from "./numbers.ts";
import type { Program } from "./program.ts";

/** Bytes that the shader writes of a texel, and numbers. */
const READ = 16, NUMBERS = 4;
/** The largest stored number of a normalised component stands for one. */
const SCALED: Readonly<Record<string, (bits: number) => number>> = {
  UNORM: (bits) => 2 ** bits - 1,
  SNORM: (bits) => 2 ** (bits - 1) - 1,
};
const LISTS = { float: "floats", int: "words", uint: "words" } as const;
/** A function of a script. */
const SRGB_BYTE = `/** Returns the byte that an sRGB format stores for the number that a shader reads. */
function srgbByte(value: number): number {
  return Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055));
}`;

/** Writes the statements that read the sample that differs first by a shader, and compare its numbers. */
export function sampleCheck(
  { piece, at }: PieceDifference,
  both: readonly [Uint8Array, Uint8Array],
  program: Program,
): Node[] {
  const { x, y, layer, sample = 0 } = at!, { level, width } = piece.image!, format = formatOfPiece(piece)!;
  const components = [...format.components].sort((one, other) => PLACES[one.name] - PLACES[other.name]);
  const name = program.variables.of(piece.resource), list = LISTS[numbersOf(format)];
  const place = (piece.image!.layers.indexOf(layer) * piece.image!.samples + sample) * layerSize(piece) +
    (y * width + x) * format.blockSize;
  const [expected, found] = both.map((bytes) => components.map((each) => numberText(bytes, place, each)));
  const push = brackets([`${sample}`, `${x + 1}`, `${y}`, "1", "0"], true), groups = Math.ceil((x + 1) / SIDE);
  if (components[0].numericFormat === "SRGB") program.functions.add(SRGB_BYTE);
  return [
    `const samples = buffer(${READ * (x + 1)});`,
    {
      open: "compute({",
      items: [
        { open: "shader: ", items: [program.values.shader(bytesOf(SHADERS[numbersOf(format)]()))], close: "" },
        { open: "bindings: [", items: [boundImage(piece, layer, program), "samples"], close: "]", fills: true },
        { open: "push: new Uint32Array(", items: [push], close: ")" },
        ...groups > 1 ? [`groups: ${groups}`] : [],
      ],
      close: "});",
      fills: true,
    },
    `// This is sample ${sample} of the texel of ${name} at ${x}, ${y}, layer ${layer}, level ${level}. B gives ${
      found.join(", ")
    }.`,
    {
      open: "deepStrictEqual(",
      items: [
        `[...samples.${list}.subarray(${NUMBERS * x}, ${NUMBERS * x + components.length})]${scaling(components)}`,
        brackets(expected, true),
      ],
      close: ");",
    },
  ];
}

/** The image as `compute()` takes one, with a view of one layer. */
function boundImage({ resource, image }: ComparedPiece, layer: number, program: Program): Node {
  const { level, format, width, height } = image!, { values, variables, tracker } = program;
  const layout = tracker.layouts.of(resource, level, layer)!, name = variables.of(resource);
  const { arrayLayers } = tracker.resources.image(resource)!;
  const range = { baseMipLevel: level, levelCount: 1, baseArrayLayer: layer, layerCount: 1 };
  const part = values.members("VkImageViewCreateInfo", {
    ...arrayLayers > 1 && { viewType: VK_IMAGE_VIEW_TYPE_2D },
    ...arrayLayers > 1 && { subresourceRange: range },
  });
  return braces([
    `image: ${name}`,
    { open: "view: view(", items: [name, ...part.length > 0 ? [braces(part)] : []], close: ")", fills: true },
    `layout: ${values.of({ name: "layout", type: "VkImageLayout" }, layout)}`,
    `format: ${values.of({ name: "format", type: "VkFormat" }, format)}`,
    `aspectMask: ${values.of({ name: "aspectMask", type: "VkImageAspectFlags" }, aspectMaskOf(format))}`,
    `width: ${width}`,
    `height: ${height}`,
  ]);
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}

/** Normalised numbers become those that are stored. Alpha is linear in sRGB formats, too. */
function scaling(components: readonly Component[]): string {
  if (components[0].numericFormat === "SRGB") {
    return components.length < NUMBERS
      ? ".map(srgbByte)"
      : ".map((value, index) => index < 3 ? srgbByte(value) : Math.round(value * 255))";
  }
  const scales = components.map(({ numericFormat, bits }) => SCALED[numericFormat]?.(bits));
  if (scales[0] === undefined) return "";
  if (new Set(scales).size === 1) return `.map((value) => Math.round(value * ${scales[0]}))`;
  return `.map((value, index) => Math.round(value * [${scales.join(", ")}][index]))`;
}

function numberText(bytes: Uint8Array, at: number, component: Component): string {
  const { numericFormat } = component, value = numberAt(bytes, at, component);
  if (numericFormat === "SINT") return wholeText(value >>> 0); // the script reads words
  return numericFormat.endsWith("FLOAT") ? exactText(value) : wholeText(value);
}
