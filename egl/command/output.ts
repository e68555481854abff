import { arena } from "../../ffi/arena.ts";
import { decode } from "../../ffi/cstring.ts";
import { viewOf } from "./memory.ts";
import { sizeOf } from "./spec.ts";

/** What is in memory that a command was to fill with an unknown number of values, so that one sees how many it wrote. */
const UNTOUCHED = 0x7fdeca5e;
/** Room for values of an unknown number. */
export const UNKNOWN_ROOM = 256;

/** One value as a command returns it. */
export type Value = number | bigint | boolean;

/** Reserves zeroed room for `count` elements; returns its offset. */
export function roomFor(count: number, code: string): number {
  const size = Math.max(count, 1) * sizeOf(code), offset = arena().alloc(size);
  arena().bytes.fill(0, offset, offset + size);
  return offset;
}

/** Reserves room for as many values as a command may write; returns its offset. */
export function unknownRoom(code: string): number {
  const bytes = UNKNOWN_ROOM * sizeOf(code), offset = arena().alloc(bytes);
  new Uint32Array(arena().bytes.buffer, offset, bytes >> 2).fill(UNTOUCHED);
  return offset;
}

/** How many elements were written to the room of {@linkcode unknownRoom}. */
export function writtenIn(offset: number, code: string): number {
  const words = new Uint32Array(arena().bytes.buffer, offset, UNKNOWN_ROOM * sizeOf(code) >> 2);
  let last = words.length - 1;
  while (last >= 0 && words[last] === UNTOUCHED) last--;
  if (last < 0) return 0;
  if (sizeOf(code) >= 4) return Math.floor(last * 4 / sizeOf(code)) + 1;
  const bytes = arena().bytes, untouched = new Uint8Array(new Uint32Array([UNTOUCHED]).buffer);
  let end = 4;
  while (end > 1 && bytes[offset + 4 * last + end - 1] === untouched[end - 1]) end--;
  return Math.floor((4 * last + end - 1) / sizeOf(code)) + 1;
}

/** The element at an offset. */
export function readValue(code: string, offset: number): Value {
  const value = viewOf(code)[offset / sizeOf(code)];
  return code === "b" || code === "B" ? value !== 0 : value;
}

/** Elements from an offset on. */
export function readValues(code: string, offset: number, count: number): Value[] {
  const at = offset / sizeOf(code), view = viewOf(code), values: Value[] = [];
  for (let index = 0; index < count; index++) values.push(view[at + index]);
  return code === "b" || code === "B" ? values.map((value) => value !== 0) : values;
}

/** The text at an offset: up to the NUL, `size` bytes at most. */
export function readText(offset: number, size: number): string {
  const { bytes } = arena(), nul = bytes.indexOf(0, offset);
  const text = bytes.slice(offset, nul < 0 ? offset + size : Math.min(nul, offset + size));
  return decode(text, text.length);
}
