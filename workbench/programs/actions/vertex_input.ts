import {
  VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT,
  VK_FORMAT_R32G32_SFLOAT,
  VK_FORMAT_R32G32B32A32_UINT,
  VK_VERTEX_INPUT_RATE_INSTANCE,
  VK_VERTEX_INPUT_RATE_VERTEX,
} from "../../../loader/gen/enums_core_gen.js";
import { formatOf } from "../../../loader/texels/format.ts";
import { chance, type Choices, pick, randomBytes } from "../choices.ts";
import { texelsOf } from "../contents.ts";
import { allFormats, type Format, isBlock, isColor, isWide } from "../formats.ts";
import type { Model } from "../model.ts";
import { fedFVert, fedIVert, fedVert } from "../shaders/shaders_gen.ts";
import type { Arguments } from "../writer.ts";

/** Places of vertices, three for a triangle. */
interface Mesh {
  /** x and y of each vertex, from -1 to 1. */
  readonly vertices: Float32Array<ArrayBuffer>;
  /** The number of vertices. */
  readonly count: number;
}

type Point = readonly [x: number, y: number];

/** The most tries of a triangle before a rectangle is taken. */
const TRIES = 8;
/** Parts of a texel on which vertices lie: every driver has them exactly. */
const PARTS = 4;
/** The least distance of each sample from an edge, in texels. */
const NEAREST = 1 / 12;

/** Returns two triangles, no edge of which comes near to the centre of a texel: all drivers cover the same. */
export function triangles(choices: Choices, area: { width: number; height: number; samples: number }): Mesh {
  const corners = [0, 1].flatMap(() => triangle(choices, area));
  const vertices = Float32Array.from(corners.flatMap(([x, y]) => [2 * x / area.width - 1, 2 * y / area.height - 1]));
  return { vertices, count: corners.length };
}

function triangle(choices: Choices, { width, height, samples }: { width: number; height: number; samples: number }) {
  const point = (): Point => [choices.integer(0, width * PARTS) / PARTS, choices.integer(0, height * PARTS) / PARTS];
  for (let tried = 0; tried < TRIES && samples === 1; tried++) {
    const corners = [point(), point(), point()];
    if (isClear(corners, width, height)) return corners;
  }
  return half(choices, width, height);
}

/** Whether a triangle has an area, and no edge near a centre. */
function isClear(corners: readonly Point[], width: number, height: number): boolean {
  const [[ax, ay], [bx, by], [cx, cy]] = corners;
  if (Math.abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) < 1) return false;
  for (let y = 0.5; y < height; y++) {
    for (let x = 0.5; x < width; x++) {
      if (corners.some((from, index) => distance([x, y], from, corners[(index + 1) % 3]) < NEAREST)) return false;
    }
  }
  return true;
}

/** The distance of a point from the line through two others. */
function distance([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number {
  const length = Math.hypot(bx - ax, by - ay);
  return length === 0 ? Infinity : Math.abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / length;
}

/** A triangle of which the area sees exactly a rectangle: the right angle lies inside, all else is cut off. */
function half(choices: Choices, width: number, height: number): Point[] {
  const x = choices.integer(1, width), y = choices.integer(1, height), far = 2 * (width + height);
  return [[x, y], [x - far, y], [x, y - far]];
}

/** A vertex shader with its vertex buffers: places of two floats, and a tint of each instance in any format. */
export interface VertexInput {
  /** The shader's name. */
  readonly name: string;
  /** SPIR-V. */
  readonly code: () => Uint32Array<ArrayBuffer>;
  /** The specialisation constants. */
  readonly constants: number[];
  /** VkPipelineVertexInputStateCreateInfo. */
  readonly input: Arguments;
  /** The tint. */
  readonly given: Uint8Array<ArrayBuffer>;
}

/** Chooses the format of the tint. */
export function chooseVertexInput(model: Model): VertexInput {
  const { choices } = model, formats = formatsOf(model);
  if (formats.length === 0 || !chance(choices, 60)) return words(choices);
  const format = pick(choices, formats), given = texelsOf(choices, format, 1), input = inputOf(format);
  if (format.numbers === "uint") return { name: "fed", code: fedVert, constants: [], input, given };
  if (format.numbers === "sint") return { name: "fed_i", code: fedIVert, constants: [], input, given };
  return { name: "fed_f", code: fedFVert, constants: factorsOf(format), input, given };
}

/** The format that every driver has. */
function words(choices: Choices): VertexInput {
  const format = { value: VK_FORMAT_R32G32B32A32_UINT, bytes: 16 };
  return { name: "fed", code: fedVert, constants: [], input: inputOf(format), given: randomBytes(choices, 16) };
}

/** Components of 64 bits would need a shader that has them, and packed floats are not whole numbers. */
function formatsOf({ facts: { buffers } }: Model): Format[] {
  return allFormats().filter((format) => {
    const isNumber = isColor(format) && !isBlock(format) && !isWide(format);
    const isUsable = ((buffers[format.value] ?? 0) & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT) !== 0;
    return isUsable && isNumber && format.fields[0] !== 11 && !/^(shared|srgb)$/.test(format.numbers);
  });
}

/** Returns the factors that make whole numbers of normalised ones, for red, green, blue and alpha. */
function factorsOf(format: Format): number[] {
  const { components } = formatOf(format.value);
  return ["R", "G", "B", "A"].map((name) => {
    const bits = components.find((each) => each.name === name)?.bits;
    if (bits === undefined) return 1;
    return format.numbers === "unorm" ? 2 ** bits - 1 : format.numbers === "snorm" ? 2 ** (bits - 1) - 1 : 1;
  });
}

/** The stride of a tint is whole words, as large as any driver wants offsets to be. */
function inputOf({ value, bytes }: Pick<Format, "value" | "bytes">): Arguments {
  const stride = Math.ceil(bytes / 4) * 4;
  return {
    pVertexBindingDescriptions: [{ binding: 0, stride: 8, inputRate: VK_VERTEX_INPUT_RATE_VERTEX }, {
      binding: 1,
      stride,
      inputRate: VK_VERTEX_INPUT_RATE_INSTANCE,
    }],
    pVertexAttributeDescriptions: [
      { location: 0, binding: 0, format: VK_FORMAT_R32G32_SFLOAT, offset: 0 },
      { location: 1, binding: 1, format: value, offset: 0 },
    ],
  };
}
