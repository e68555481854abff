import { arena } from "../../ffi/arena.ts";
import { decode } from "../../ffi/cstring.ts";
import { viewOf } from "./memory.ts";
import { sizeOf } from "./spec.ts";

/** The fill of memory for an output of unknown length, which shows how many values the command wrote. */
const UNTOUCHED = 0x7fdeca5e;
/** Room for values of an unknown number. */
export const UNKNOWN_ROOM = 256;

/** Codes of unsigned elements, by their bytes. */
const WORDS = { 1: "Y", 2: "H", 4: "u" } as const;

/** One value as a command returns it. */
export type Value = number | bigint | boolean;

/** Reserves zeroed room for `count` elements; returns its offset. */
export function roomFor(count: number, code: string): number {
  const size = Math.max(count, 1) * sizeOf(code), offset = arena().alloc(size);
  arena().zero(offset, size);
  return offset;
}

/** Reserves room for as many values as a command may write; returns its offset. */
export function unknownRoom(code: string): number {
  const bytes = UNKNOWN_ROOM * sizeOf(code), offset = arena().alloc(bytes);
  viewOf("u").fill(UNTOUCHED as never, offset >> 2, offset + bytes >> 2);
  return offset;
}

/** The number of elements written to the room of {@linkcode unknownRoom}: no value of any state equals the fill. */
export function writtenIn(offset: number, code: string): number {
  const size = sizeOf(code), unit = Math.min(size, 4) as 1 | 2 | 4, view = viewOf(WORDS[unit]);
  for (let index = 0; index < UNKNOWN_ROOM; index++) {
    const at = index * size;
    if (view[(offset + at) / unit] === (UNTOUCHED >>> 8 * (at & 3)) % 2 ** (8 * unit)) return index;
  }
  return UNKNOWN_ROOM;
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
  const room = arena().bytes.subarray(offset, offset + size), nul = room.indexOf(0);
  const text = room.slice(0, nul < 0 ? size : nul);
  return decode(text, text.length);
}
