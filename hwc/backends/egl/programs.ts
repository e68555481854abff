import { GL_COMPILE_STATUS, GL_FRAGMENT_SHADER, GL_LINK_STATUS, GL_VERTEX_SHADER } from "../../../egl/gl.ts";
import type { Gl } from "../../../egl/mod.ts";
import { CompositionError } from "../backend.ts";
import { GOES_ON } from "../shader/shape.ts";
import { LAYER_ES, RULE_ES } from "../shader/shaders_gen.ts";
import { ROW_WORDS } from "./textures.ts";

/** The units that textures are bound to. */
export const UNITS = { tables: 0, below: 1, source: 2 } as const;
/** Programs that are kept. */
const MOST_PROGRAMS = 64;

/** A compiled program. */
export interface Program {
  /** GL's name of it. */
  readonly program: number;
  /** The location of its background. */
  readonly background: number;
}

/** The compose shader, compiled for each set of layers' shapes that comes up, and kept. */
export class Programs {
  readonly #gl: Gl;
  readonly #known = new Map<string, Program>();

  /** Nothing is compiled yet. */
  constructor(gl: Gl) {
    this.#gl = gl;
  }

  /** The program for layers of these shapes. Throws a `CompositionError` `device`. */
  of(shape: ProgramShape): Program {
    const { shapes, specialise } = shape;
    const key = JSON.stringify({ ...shape, shapes: specialise ? shapes : shapes.length });
    const program = this.#known.get(key) ?? this.#make(shape);
    this.#known.delete(key);
    this.#known.set(key, program); // the last one now
    return program;
  }

  /** Deletes all. */
  close(): void {
    for (const { program } of this.#known.values()) this.#gl.glDeleteProgram(program);
    this.#known.clear();
  }

  #make(shape: ProgramShape): Program {
    if (this.#known.size >= MOST_PROGRAMS) this.#dropOldest();
    const gl = this.#gl, program = link(gl, VERTEX, fragmentShader(shape));
    gl.glUseProgram(program);
    const unit = (name: string, number: number) => gl.glUniform1i(gl.glGetUniformLocation(program, name), number);
    unit("tables", UNITS.tables);
    unit("below", UNITS.below);
    shape.shapes.forEach((_, k) => unit(`source${k}`, UNITS.source + k));
    const block = gl.glGetUniformBlockIndex(program, "Layers");
    if (block !== NO_BLOCK) gl.glUniformBlockBinding(program, block, 0); // none is left in it without layers
    return { program, background: gl.glGetUniformLocation(program, "background") };
  }

  #dropOldest(): void {
    const [[key, { program }]] = this.#known;
    this.#known.delete(key);
    this.#gl.glDeleteProgram(program);
  }
}

const NO_BLOCK = 0xffff_ffff;

function link(gl: Gl, vertex: string, fragment: string): number {
  const program = gl.glCreateProgram();
  for (const [type, source] of [[GL_VERTEX_SHADER, vertex], [GL_FRAGMENT_SHADER, fragment]] as const) {
    const shader = gl.glCreateShader(type);
    gl.glShaderSource(shader, source);
    gl.glCompileShader(shader);
    if (!gl.glGetShaderiv(shader, GL_COMPILE_STATUS)) refuse("compiles no shader", gl.glGetShaderInfoLog(shader));
    gl.glAttachShader(program, shader);
    gl.glDeleteShader(shader);
  }
  gl.glLinkProgram(program);
  if (!gl.glGetProgramiv(program, GL_LINK_STATUS)) refuse("links no program", gl.glGetProgramInfoLog(program));
  return program;
}

function refuse(what: string, log: string): never {
  throw new CompositionError("device", `Cannot compose with OpenGL ES: the driver ${what}: ${log.trim()}`);
}

/** One triangle that holds the whole target. */
const VERTEX = `#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
`;

const BLUE_FIRST = 1, NO_ALPHA = 2;

/** The properties for which a program is compiled. */
interface ProgramShape {
  /** The shapes of the layers, from the bottom; only their number counts in a program that is not specialised. */
  readonly shapes: readonly number[];
  /** Layers in its uniform block. */
  readonly blockLayers: number;
  /** As TARGETS and GOES_ON have it. */
  readonly target: number;
  readonly specialise: boolean;
}

/** GLSL of the P-rule for so many layers of these shapes. */
function fragmentShader({ shapes, blockLayers, target, specialise }: ProgramShape): string {
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
