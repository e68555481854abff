/** One parameter of a command, as the tables have it. */
export interface Parameter {
  /** The C name. */
  readonly name: string;
  /**
   * The kind of the value, or of the value pointed to: a letter of
   * {@linkcode LETTERS}, or the name of an EGL handle type.
   */
  readonly code: string;
  /** The number of `*` in the C declaration. */
  readonly stars: number;
  /** Whether the memory pointed to is only read. */
  readonly isConst: boolean;
  /** The number of elements behind a pointer: see {@linkcode parseCommand}. `""` when the registry doesn't say. */
  readonly len: string;
}

/** One EGL or GL command, as the tables have it. */
export interface Command {
  /** The C name. */
  readonly name: string;
  /** Result: a code, with `*` before it for a pointer. `v` for none. */
  readonly result: string;
  /** Parameters in C order. */
  readonly params: readonly Parameter[];
}

/**
 * The meaning of each code letter in C, and how such a value travels.
 *
 * | letter | C | signature letter |
 * |---|---|---|
 * | `e` `u` `x` | `GLenum`, `GLuint`, `GLbitfield` | `w` |
 * | `i` | `GLint`, `GLsizei`, `GLfixed`, `EGLint` | `s` |
 * | `b` `B` | `GLboolean` (a byte), `EGLBoolean` (a word) | `w` |
 * | `y` `Y` `h` `H` | signed and unsigned byte and short | `s`, `w` |
 * | `f` `d` | `GLfloat`, `GLdouble` | the same |
 * | `l` `L` `z` | 64 bits signed and unsigned, `size_t` and `intptr_t` | `q` |
 * | `S` `P` | `GLsync`, any other opaque pointer | `q` |
 * | `c` `v` | `char` and `void`, behind pointers | – |
 */
export const LETTERS: Readonly<Record<string, string>> = {
  e: "w",
  u: "w",
  x: "w",
  i: "s",
  b: "w",
  B: "w",
  y: "s",
  Y: "w",
  h: "s",
  H: "w",
  f: "f",
  d: "d",
  l: "q",
  L: "q",
  z: "q",
  S: "q",
  P: "q",
};

/** Bytes of an element of each code; handles have 8. */
export const SIZES: Readonly<Record<string, number>> = {
  e: 4,
  u: 4,
  x: 4,
  i: 4,
  b: 1,
  B: 4,
  y: 1,
  Y: 1,
  h: 2,
  H: 2,
  f: 4,
  d: 8,
  c: 1,
  v: 1,
};

/** Bytes of one element behind a pointer of this code. */
export function sizeOf(code: string): number {
  return SIZES[code] ?? 8;
}

/** The signature a command is called with; see `parseSignature` of the ground floor. */
export function signatureOf({ result, params }: Command): string {
  const letters = params.map(({ code, stars }) => stars > 0 ? "q" : LETTERS[code] ?? "q").join("");
  const returned = result === "v" ? "v" : result[0] === "*" ? "q" : LETTERS[result] ?? "q";
  return `${returned}:${letters}`;
}

/**
 * Takes a line of a table apart: `NAME RESULT parameter ...`. A parameter is
 * `name:code`, with `*` before the code for each level of pointers the command
 * writes through and `&` where it only reads, and `[len]` behind it:
 *
 * | len | elements |
 * |---|---|
 * | a number | so many |
 * | `n`, `n*4`, `n/4` | by another parameter |
 * | `@a,b` | follows from these parameters in a way the registry doesn't say |
 * | `a>b` | room for `a`; `b` says how many there are |
 * | `attribs` | names and values up to `EGL_NONE` |
 */
export function parseCommand(line: string): Command {
  const [name, result, ...params] = line.split(" ");
  return { name, result, params: params.map(parseParameter) };
}

function parseParameter(text: string): Parameter {
  const [, name, marks, code, len] = /^(\w+):([*&]*)(\w+)(?:\[(.*)\])?$/.exec(text)!;
  return { name, code, stars: marks.length, isConst: marks.includes("&"), len: len ?? "" };
}
