import { GOES_ON } from "../shader/shape.ts";
import { LAYER_ES, RULE_ES } from "../shader/shaders_gen.ts";
import { ROW_WORDS } from "./word_texture.ts";

/** One triangle that holds the whole target. */
export const VERTEX = `#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
`;

const BLUE_FIRST = 1, NO_ALPHA = 2;

/** What a program is compiled for. */
export interface ProgramShape {
  /** Of its layers, from the bottom; only their number counts if it is not specialised. */
  readonly shapes: readonly number[];
  /** Layers in its uniform block. */
  readonly blockLayers: number;
  /** As TARGETS and GOES_ON have it. */
  readonly target: number;
  readonly specialise: boolean;
}

/** GLSL of the P-rule for so many layers of these shapes. */
export function fragmentShader({ shapes, blockLayers, target, specialise }: ProgramShape): string {
  const numbers = shapes.map((_, index) => index);
  return `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
uniform usampler2D tables;
uniform sampler2D below;
${numbers.map((k) => `uniform usampler2D source${k};`).join("\n")}
uint word(usampler2D from, int at) {
  return texelFetch(from, ivec2(at & ${ROW_WORDS - 1}, at >> ${Math.log2(ROW_WORDS)}), 0).r;
}
${RULE_ES}
const bool IS_SPECIALISED = ${specialise};
layout(std140) uniform Layers { Layer layers[${blockLayers}]; };
${numbers.map(layerFunctions).join("\n")}
uniform uint background;
out vec4 result;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int first = 0;
  uvec4 color = ${(target & GOES_ON) === 0 ? "bytes(background)" : "uvec4(texelFetch(below, at, 0) * 255.0 + 0.5)"};
  ${(target & GOES_ON) !== 0 && (target & BLUE_FIRST) !== 0 ? "color = color.bgra;" : ""}
${numbers.map((k) => findFirst(k, specialise ? `${shapes[k]}u` : `uint(layers[${k}].size.w)`)).join("\n")}
${numbers.map((k) => `  if (first <= ${k}) color = over_${k}(${specialise ? shapes[k] : 0}u, at, color);`).join("\n")}
  ${(target & BLUE_FIRST) !== 0 ? "color = color.bgra;" : ""}
  ${(target & NO_ALPHA) !== 0 ? "color.a = 255u;" : ""}
  result = vec4(color) / 255.0;
}
`;
}

/** A layer's functions, by its number. */
function layerFunctions(k: number): string {
  return LAYER_ES.replace(/(?<=_|source)K\b|(?<=layers\s*\[\s*)K\b/g, String(k));
}

/** The uppermost layer that hides all below it: there it begins. */
function findFirst(k: number, shape: string): string {
  return `  if ((${shape} & OPAQUE) != 0u && isInside(layers[${k}], at)) first = ${k};`;
}
