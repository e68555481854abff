import { arena } from "../../ffi/arena.ts";
import { addressOf } from "../../ffi/machine.ts";
import { EGL_NONE } from "../gen/egl_constants_gen.js";
import { isWide, type NumberView, viewOf } from "./memory.ts";
import { sizeOf } from "./spec.ts";

/** Bytes from which data is passed where it lies instead of being copied; measured: naming its address takes as long as copying so much. */
export const IN_PLACE = 32768;

/** Numbers in memory, as the commands accept them. */
export type GlNumbers = ArrayLike<number | bigint | boolean>;
/** Untyped memory, as the commands accept it: bytes, an offset or address, or `null`. */
export type GlData = ArrayBufferView | ArrayBufferLike | number | bigint | null | undefined;

/** Throws a `TypeError` that says what a parameter must be. */
export function refuse(name: string, value: unknown, wanted: string): never {
  throw new TypeError(`Cannot use ${describe(value)} as "${name}": give ${wanted}`);
}

/** The range of values of each code; unsigned ones may be negative, as results of `~` and `|` are. */
const RANGES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  i: [-(2 ** 31), 2 ** 31 - 1],
  y: [-128, 127],
  Y: [0, 255],
  h: [-32768, 32767],
  H: [0, 65535],
};
const BITS: readonly [number, number] = [-(2 ** 31), 2 ** 32 - 1];

/** A number of a code: one that fits, or a boolean or bigint that stands for one. */
export function toNumber(value: unknown, name: string, code: string): number {
  const number = typeof value === "boolean" || typeof value === "bigint" ? Number(value) : value;
  if (typeof number !== "number") return refuse(name, value, "a number");
  if (code === "f" || code === "d") return number;
  const [least, most] = RANGES[code] ?? BITS;
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  return refuse(name, value, `a whole number from ${Math.max(least, RANGES[code] ? least : 0)} to ${most}`);
}

/** A boolean, or 1 or 0 as C has it. */
export function toBoolean(value: unknown, name: string): 0 | 1 {
  if (value === true || value === 1 || value === 1n) return 1;
  if (value === false || value === 0 || value === 0n) return 0;
  return refuse(name, value, "true or false");
}

/** A handle, size or address: a bigint that fits in 64 bits, or what stands for one. */
export function toBigInt(value: unknown, name: string): bigint {
  if (typeof value === "bigint" && (BigInt.asUintN(64, value) === value || BigInt.asIntN(64, value) === value)) {
    return BigInt.asUintN(64, value);
  }
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt.asUintN(64, BigInt(value));
  if (value === null) return 0n;
  if (typeof value === "object" && "address" in value && typeof value.address === "bigint") return value.address;
  return refuse(name, value, "a whole number or a bigint, or null for none");
}

/** The code of an array's elements: arrays of addresses of untyped memory hold pointers. */
export function elementOf(code: string): string {
  return code === "v" ? "P" : code;
}

/** Copies numbers to the arena as elements of a code; returns their address, 0n for none. */
export function placeNumbers(
  value: GlNumbers | ArrayBuffer | DataView | null | undefined,
  code: string,
  name: string,
): bigint {
  if (value === null || value === undefined) return 0n;
  if (typeof value !== "object") return refuse(name, value, "an array of numbers or a typed array");
  const memory = arena();
  if (value instanceof ArrayBuffer || value instanceof DataView) return memory.place(bytesOf(value));
  const { length } = value as GlNumbers;
  if (!Number.isInteger(length) || length < 0) return refuse(name, value, "an array of numbers or a typed array");
  const size = sizeOf(code), offset = memory.alloc(length * size);
  if (ArrayBuffer.isView(value) && !isWide(code)) (viewOf(code) as NumberView).set(value as never, offset / size);
  else placeElements(value as GlNumbers, length, code, offset / size, name);
  return memory.base + BigInt(offset);
}

/** Each element is checked: a hole in the array is no number, and a value out of range would become another. */
function placeElements(value: GlNumbers, length: number, code: string, at: number, name: string): void {
  const view = viewOf(code), convert = isWide(code) ? toBigInt : toNumber;
  for (let index = 0; index < length; index++) {
    const each = value[index];
    if (each === undefined) refuse(`${name}[${index}]`, each, "an array without holes");
    view[at + index] = convert(each, name, code) as never;
  }
}

/** The number of units of `factor` elements in an array. */
export function countOf(value: unknown, factor: number, code: string, name: string): number {
  if (value === null || value === undefined) return 0;
  const elements = isCountable(value) ? elementsIn(value, code) : NaN, count = elements / factor;
  if (Number.isNaN(count)) {
    return refuse(name, value, "an array of numbers or a typed array, whose length is the count");
  }
  if (Number.isInteger(count)) return count;
  throw new TypeError(`Cannot use ${elements} values as "${name}": give a multiple of ${factor}`);
}

function isCountable(value: unknown): value is GlNumbers | ArrayBuffer {
  return typeof value === "object" && value !== null && ("length" in value || "byteLength" in value);
}

/** The bytes of a text, without a NUL. */
export function lengthOfText(value: unknown, name: string): number {
  if (value === null || value === undefined) return 0;
  return typeof value === "string" ? elementsIn(value, "c") : refuse(name, value, "a string");
}

/** Returns the number of elements of a code in a value. */
export function elementsIn(value: GlNumbers | ArrayBuffer | DataView | string, code: string): number {
  if (typeof value === "string") return new TextEncoder().encode(value).length;
  return code !== "v" && "length" in value ? value.length : (value as ArrayBuffer).byteLength / sizeOf(code);
}

/** Refuses an array that is left out although the command will read elements of it. */
export function needArray(value: unknown, least: number, name: string): void {
  if ((value ?? undefined) === undefined && least > 0) refuse(name, value, `an array of at least ${least} numbers`);
}

/** Refuses arrays that are shorter than what the command will read. */
export function needElements(value: unknown, least: number, code: string, name: string): void {
  if (value === null || value === undefined || typeof value === "number" || typeof value === "bigint") return;
  const found = elementsIn(value as GlNumbers, code);
  if (found >= least) return;
  throw new RangeError(
    `Cannot use ${found} elements as "${name}": the command reads ${least}; give at least that many`,
  );
}

/**
 * The address of data for the length of a call. Small data is copied to the
 * arena. Large data is used in place: it can neither move nor go while the call
 * is blocking. A number is an offset or address and passed unchanged.
 */
export function placeData(value: GlData, name: string): bigint {
  if (typeof value === "bigint") return value;
  if (value === null || value === undefined) return 0n;
  if (typeof value === "number") return toBigInt(value, name);
  if (!isMemory(value)) return refuse(name, value, "a typed array, an offset or null");
  const bytes = bytesOf(value);
  if (bytes.byteLength < IN_PLACE) return arena().place(bytes);
  return addressOf(bytes as Uint8Array<ArrayBuffer>);
}

/** Whether a value is memory of JavaScript. */
export function isMemory(value: unknown): value is ArrayBufferView | ArrayBufferLike {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
}

/** The bytes of a typed array, view or buffer. */
export function bytesOf(value: ArrayBufferView | ArrayBufferLike): Uint8Array {
  if (!ArrayBuffer.isView(value)) return new Uint8Array(value);
  return value instanceof Uint8Array ? value : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

/** Places a string with a NUL at its end; returns its address, 0n for none. */
export function placeText(value: string | null | undefined, name: string): bigint {
  if (value === null || value === undefined) return 0n;
  if (typeof value !== "string") return refuse(name, value, "a string");
  return arena().place(new TextEncoder().encode(value + "\0"));
}

/** Places strings and an array of their addresses. */
export function placeTexts(value: string | readonly string[] | null | undefined, name: string): bigint {
  if (value === null || value === undefined) return 0n;
  const texts = typeof value === "string" ? [value] : value;
  if (!Array.isArray(texts)) return refuse(name, value, "a string or an array of strings");
  const addresses = Array.from(texts, (text, index) => {
    if (typeof text !== "string") refuse(`${name}[${index}]`, text, "a string");
    return placeText(text, name);
  });
  return placeNumbers(addresses, "P", name);
}

/** The number of strings. */
export function textCount(value: string | readonly string[] | null | undefined): number {
  return typeof value === "string" ? 1 : value?.length ?? 0;
}

/** Attributes: an object with the names as keys, or names and values in turn. `EGL_NONE` can be left out. */
export type EglAttributes = Readonly<Record<number, number | bigint | boolean>> | readonly (number | bigint)[];

/** Places an attribute list with `EGL_NONE` at its end; returns its address, 0n for none. */
export function placeAttributes(value: EglAttributes | null | undefined, code: string, name: string): bigint {
  if (value === null || value === undefined) return 0n;
  if (typeof value !== "object") return refuse(name, value, "an object of names and values, an array or null");
  if (Array.isArray(value) && value.length % 2 > 0 && value.at(-1) !== EGL_NONE) {
    refuse(name, value, `names and values in turn, which are an even number; found ${value.length}`);
  }
  const flat = Array.isArray(value) ? value : Object.entries(value).flatMap(([key, each]) => [Number(key), each]);
  const odd = flat.findIndex((each) => typeof each === "number" && Number.isNaN(each) || each === undefined);
  if (odd >= 0) refuse(name, flat[odd], "numbers and bigints; is a constant not imported?");
  return placeNumbers([...flat, EGL_NONE].map((each) => code === "i" ? Number(each) : each), code, name);
}

function describe(value: unknown): string {
  if (typeof value === "string") return `"${value}"`;
  return value === null || typeof value !== "object" ? String(value) : `a ${value.constructor?.name ?? "object"}`;
}
