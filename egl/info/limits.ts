import { arena, inFrame } from "../../ffi/arena.ts";
import type { Gl } from "../api/egl.ts";
import { sizeOfName } from "../command/sizes.ts";
import * as constants from "../gen/gl_constants_gen.js";

/** Limits of a context by their C names; an array for a name with several values. */
export type GlLimits = Readonly<Record<string, number | readonly number[]>>;

/** Names of limits that do not begin with GL_MAX_. */
const MORE = [
  "GL_SUBPIXEL_BITS",
  "GL_ALIASED_POINT_SIZE_RANGE",
  "GL_ALIASED_LINE_WIDTH_RANGE",
  "GL_COMPRESSED_TEXTURE_FORMATS",
  "GL_NUM_COMPRESSED_TEXTURE_FORMATS",
  "GL_NUM_PROGRAM_BINARY_FORMATS",
  "GL_NUM_SHADER_BINARY_FORMATS",
];
/** Limits with three dimensions each. */
const INDEXED = ["GL_MAX_COMPUTE_WORK_GROUP_COUNT", "GL_MAX_COMPUTE_WORK_GROUP_SIZE"];
/** The size of the longest list that a driver may return, in bytes. */
const ROOM = 4096;
/** The value of every byte before the driver writes. */
const UNTOUCHED = 0xa5;

/** The limits of the current context: all names of OpenGL ES and its extensions that the context answers. */
export function limitsOf(gl: Gl, major: number): GlLimits {
  return inFrame((memory) => {
    const at = memory.alloc(ROOM);
    const question: Question = { gl, at, address: memory.address(at), wide: major >= 3 };
    while (gl.glGetError() !== 0);
    const found = [...limitNames()].map(([name, value]) => [name, answer(question, name, value)] as const);
    return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as GlLimits;
  });
}

interface Question {
  readonly gl: Gl;
  readonly at: number;
  readonly address: bigint;
  /** Whether the context has 64-bit queries. */
  readonly wide: boolean;
}

/** Limits by name. Of several names with one value the shortest counts, which has no vendor suffix. */
function limitNames(): Map<string, number> {
  const byValue = new Map<number, string>();
  for (const [name, value] of Object.entries(constants)) {
    if (typeof value !== "number" || !(name.startsWith("GL_MAX_") || MORE.includes(name))) continue;
    const known = byValue.get(value);
    if (!known || name.length < known.length) byValue.set(value, name);
  }
  return new Map([...byValue].map(([value, name]) => [name, value]));
}

function answer(question: Question, name: string, value: number): number | number[] | undefined {
  if (INDEXED.includes(name)) return indexed(question, value);
  const size = sizeOfName(value) ?? 1, count = size || listLength(question, value);
  if (count === undefined || 8 * count > ROOM) return undefined;
  const { gl, address, wide } = question;
  const found = read(
    question,
    count,
    () => wide ? gl.raw.glGetInteger64v(value, address) : gl.raw.glGetIntegerv(value, address),
  );
  return size === 1 ? found?.[0] : found;
}

function listLength(question: Question, list: number): number | undefined {
  const counts: Record<number, number> = {
    [constants.GL_COMPRESSED_TEXTURE_FORMATS]: constants.GL_NUM_COMPRESSED_TEXTURE_FORMATS,
  };
  return list in counts ? answer(question, "", counts[list]) as number | undefined : undefined;
}

/** Reads a limit with three dimensions; `undefined` for contexts before 3.1, which have no compute shaders. */
function indexed(question: Question, value: number): number[] | undefined {
  const { gl, address } = question;
  if (!question.wide) return undefined;
  const found = [0, 1, 2].map((index) => read(question, 1, () => gl.raw.glGetInteger64i_v(value, index, address))?.[0]);
  return found.includes(undefined) ? undefined : found as number[];
}

/** Reads the written values; `undefined` after an error, and if nothing was written. */
function read({ gl, at, wide }: Question, count: number, ask: () => void): number[] | undefined {
  const { view } = arena(), size = wide ? 8 : 4;
  for (let byte = 0; byte < size * count; byte++) view.setUint8(at + byte, UNTOUCHED);
  ask();
  const failed = gl.glGetError() !== 0;
  const first = Array.from({ length: size }, (_, byte) => view.getUint8(at + byte));
  if (failed || first.every((byte) => byte === UNTOUCHED)) return undefined;
  return Array.from({ length: count }, (_, index) => {
    const place = at + size * index;
    return wide ? Number(view.getBigInt64(place, true)) : view.getInt32(place, true);
  });
}
