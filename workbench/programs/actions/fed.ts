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

/** A vertex shader with its vertex buffers: places of two floats, and a tint of each instance in any format. */
export interface Fed {
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
export function fedBy(model: Model): Fed {
  const { choices } = model, formats = formatsOf(model);
  if (formats.length === 0 || !chance(choices, 60)) return words(choices);
  const format = pick(choices, formats), given = texelsOf(choices, format, 1), input = inputOf(format);
  if (format.numbers === "uint") return { name: "fed", code: fedVert, constants: [], input, given };
  if (format.numbers === "sint") return { name: "fed_i", code: fedIVert, constants: [], input, given };
  return { name: "fed_f", code: fedFVert, constants: factorsOf(format), input, given };
}

/** The format that every driver has. */
function words(choices: Choices): Fed {
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
