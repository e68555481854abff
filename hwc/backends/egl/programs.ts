import { GL_COMPILE_STATUS, GL_FRAGMENT_SHADER, GL_LINK_STATUS, GL_VERTEX_SHADER } from "../../../egl/gl.ts";
import type { Gl } from "../../../egl/mod.ts";
import { CompositionError } from "../error.ts";
import { fragmentShader, type ProgramShape, VERTEX } from "./shader.ts";

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
