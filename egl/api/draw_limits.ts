import { bytesAt } from "../../ffi/arena.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";
import * as g from "../gen/gl_constants_gen.js";
import { indexSize } from "../command/pixels.ts";
import type { Command } from "../command/spec.ts";
import { attribute, integer, isEnabled, type KeptArray, pointerOf } from "./client_arrays.ts";
import type { Gl } from "./egl.ts";
import type { State } from "./state.ts";

/** Commands that draw from arrays. Draws with numbers in a buffer take no client arrays. */
const DRAWING = /^gl(?:Multi)?Draw(?:Range)?(?:Arrays|Elements)(?!.*Indirect)/;

/** The places of a draw's numbers among the arguments; -1 for what the command does not have. */
export interface DrawCommand {
  readonly name: string;
  readonly first: number;
  readonly count: number;
  readonly type: number;
  readonly indices: number;
  readonly baseVertex: number;
  readonly instances: number;
  readonly baseInstance: number;
  /** The number of draws, whose numbers are in arrays. */
  readonly draws: number;
}

/** Returns the places of a draw's numbers; `undefined` for a command that does not draw from arrays. */
export function drawCommand({ name, params }: Command): DrawCommand | undefined {
  if (!DRAWING.test(name)) return undefined;
  const at = (...names: string[]) => params.findIndex((each) => names.includes(each.name));
  const isMulti = name.startsWith("glMulti"), isIndexed = name.includes("Elements");
  return {
    name,
    first: isIndexed ? -1 : at("first", "start"),
    count: at("count"),
    type: at("type"),
    indices: isIndexed ? at("indices") : -1,
    baseVertex: at("basevertex"),
    instances: isMulti ? -1 : at("instancecount", "primcount"),
    baseInstance: at("baseinstance"),
    draws: isMulti ? at("primcount", "drawcount") : -1,
  };
}

/** The first and the last of some vertices. */
type Range = readonly [least: number, most: number];

/**
 * Makes draws check the typed arrays that the driver reads: a draw beyond such an array is refused, which could end the
 * process. Until then, no draw is any slower.
 */
export function limitDraws(state: State, gl: Gl): void {
  state.draws.check ??= (values, draw) => checkDraw(state, gl, values, draw as DrawCommand);
}

function checkDraw(state: State, gl: Gl, values: readonly (number | bigint)[], draw: DrawCommand): void {
  const context = state.current?.context;
  if (!context || context.arrays.isEmpty) return;
  const arrays = context.arrays.kept((target) => isEnabled(gl, target) ? pointerOf(gl, target) : 0n, (unit, work) => {
    inUnit(gl, unit, work);
  });
  const value = (at: number, fallback: number) => at < 0 ? fallback : Number(values[at]);
  const instances = value(draw.instances, 1), range = arrays.length > 0 ? rangeOf(state, gl, values, draw) : undefined;
  if (!range || instances <= 0) return;
  const base = value(draw.baseInstance, 0), [major] = context.facts?.version ?? [1];
  const canDivide = major >= 3 || context.facts?.extensions.some((each) => /_instanced_arrays$/.test(each));
  for (const array of arrays) {
    const { index } = array.layout.target;
    const divisor = canDivide && index !== undefined ? attribute(gl, index, g.GL_VERTEX_ATTRIB_ARRAY_DIVISOR) : 0;
    const last = base + Math.floor((instances - 1) / divisor);
    refuseBeyond(draw.name, array, divisor > 0 ? [base, last] : range);
  }
}

/** Does something while a texture unit of OpenGL ES 1 is the one that queries are about. */
function inUnit(gl: Gl, unit: number, work: () => void): void {
  const before = integer(gl, g.GL_CLIENT_ACTIVE_TEXTURE);
  if (before !== unit) gl.raw.glClientActiveTexture(unit);
  work();
  if (before !== unit) gl.raw.glClientActiveTexture(before);
}

function refuseBeyond(command: string, { size, layout }: KeptArray, [least, most]: Range): void {
  const { element, stride, target } = layout, vertices = Math.floor((size - element) / stride) + 1;
  if (least >= 0 && most < vertices) return;
  throw new RangeError(
    `Cannot carry out ${command}(): it reads elements ${least} to ${most} of the array of ${target.name}, which has ` +
      `${Math.max(vertices, 0)} (${size} bytes); give a larger array, or draw less`,
  );
}

/** The vertices of a draw, or of several; `undefined` for none, and where nobody can say. */
function rangeOf(state: State, gl: Gl, values: readonly (number | bigint)[], draw: DrawCommand): Range | undefined {
  const draws = draw.draws < 0 ? 1 : Number(values[draw.draws]), ranges: Range[] = [];
  const number = (at: number, index: number) =>
    at < 0 ? 0 : draw.draws < 0 ? Number(values[at]) : peek32(values[at] as bigint + BigInt(4 * index)) | 0;
  for (let index = 0; index < draws; index++) {
    const count = number(draw.count, index), first = number(draw.first, index);
    if (count <= 0) continue;
    const found = draw.indices < 0 ? [first, first + count - 1] as const : indexed(state, gl, {
      count,
      type: Number(values[draw.type]),
      at: draw.draws < 0 ? values[draw.indices] as bigint : peek64(values[draw.indices] as bigint + BigInt(8 * index)),
    });
    const base = number(draw.baseVertex, index);
    if (found) ranges.push([found[0] + base, found[1] + base]);
  }
  if (ranges.length === 0) return undefined;
  return ranges.reduce(([least, most], each) => [Math.min(least, each[0]), Math.max(most, each[1])]);
}

/** Indices in memory, or in the buffer that is bound for them. */
interface Indices {
  readonly count: number;
  readonly type: number;
  readonly at: bigint;
}

function indexed(state: State, gl: Gl, indices: Indices): Range | undefined {
  const { count, type, at } = indices, size = indexSize(type);
  if (size === undefined) return undefined;
  const isInBuffer = integer(gl, g.GL_ELEMENT_ARRAY_BUFFER_BINDING) !== 0;
  const bytes = isInBuffer
    ? bufferBytes(state, gl, at, count * size)
    : at === 0n
    ? undefined
    : bytesAt(at, count * size);
  if (!bytes) return undefined;
  const all = size === 1 ? bytes : size === 2 ? new Uint16Array(bytes.buffer) : new Uint32Array(bytes.buffer);
  const [major] = state.current!.context.facts?.version ?? [1];
  const restarts = major >= 3 && gl.raw.glIsEnabled(g.GL_PRIMITIVE_RESTART_FIXED_INDEX) !== 0;
  const restart = restarts ? 2 ** (8 * size) - 1 : -1;
  let least = Infinity, most = -1;
  for (const index of all) {
    if (index === restart) continue;
    if (index < least) least = index;
    if (index > most) most = index;
  }
  return most < 0 ? undefined : [least, most];
}

/** Bytes of the buffer with the indices; `undefined` where they cannot be read. */
function bufferBytes(state: State, gl: Gl, offset: bigint, size: number): Uint8Array<ArrayBuffer> | undefined {
  const { facts } = state.current!.context, has = (name: string) => facts?.extensions.includes(name) ?? false;
  const isNew = (facts?.version[0] ?? 1) >= 3, target = g.GL_ELEMENT_ARRAY_BUFFER;
  if (!isNew && !has("GL_EXT_map_buffer_range")) return undefined;
  const ask = (name: number) => Number(gl.glGetBufferParameteriv(target, name));
  const isUnreadable = has("GL_EXT_buffer_storage") && ask(g.GL_BUFFER_IMMUTABLE_STORAGE_EXT) !== 0 &&
    (ask(g.GL_BUFFER_STORAGE_FLAGS_EXT) & g.GL_MAP_READ_BIT) === 0;
  const isOutside = offset + BigInt(size) > BigInt(ask(g.GL_BUFFER_SIZE));
  if (isUnreadable || isOutside || ask(g.GL_BUFFER_MAPPED) !== 0) return undefined;
  const [map, unmap] = isNew
    ? ["glMapBufferRange", "glUnmapBuffer"] as const
    : ["glMapBufferRangeEXT", "glUnmapBufferOES"] as const;
  const address = gl.raw[map](target, offset, BigInt(size), g.GL_MAP_READ_BIT);
  if (address === 0n) return undefined;
  const bytes = bytesAt(address, size);
  gl.raw[unmap](target);
  return bytes;
}
