import * as values from "../codec/values/convert.ts";
import { arena } from "../../ffi/arena.ts";
import { cstring } from "../../ffi/cstring.ts";
import type { Kind } from "../codec/layout/layout.ts";
import { describe, hint, missing, toScalar } from "../../ffi/scalar.ts";
import { VulkanError } from "../error.ts";
import { VK_ERROR_UNKNOWN } from "../gen/native_gen.ts";

export { missing, noHole, toScalar } from "../../ffi/scalar.ts";

/** The slow halves of the checks compiled into command methods: they convert what may be converted, or throw and say why. */

/** The same for an argument that the registry does not let a caller leave out. */
export function toAsked(kind: Kind, value: unknown, label: string): number | bigint {
  return toScalar(kind, asked(value, label), label);
}

/** Returns an argument. Throws if a caller left it out. */
export function asked(value: unknown, label: string): unknown {
  return value === undefined || value === null ? missing(label) : value;
}

/**
 * Returns the 64 bits of a handle of a type: a bigint, an open object of the
 * type with a `handle`, or nothing for VK_NULL_HANDLE.
 */
export function toHandle(value: unknown, type: string, label: string): bigint {
  if (typeof value === "bigint" && BigInt.asUintN(64, value) === value) return value;
  if (value === undefined || value === null) return 0n;
  try {
    return values.toHandle(value, type);
  } catch {
    const other = typeof value === "object" && "handle" in value ? `an open ${type}` : "a handle";
    throw new TypeError(`${label}: expected ${other}, found ${describe(value)}${hint("h", value)}`);
  }
}

/** Returns the 64 bits of a required handle. */
export function toObject(value: unknown, type: string, label: string): bigint {
  const handle = toHandle(value, type, label);
  if (handle === 0n) {
    throw new TypeError(`${label}: expected a handle, found nothing (VK_NULL_HANDLE is not allowed here)`);
  }
  return handle;
}

/** Places a string in the arena. Returns its offset, 0 for null. */
export function placeText(value: unknown, label: string): number {
  if (value === undefined || value === null) return 0;
  if (typeof value !== "string") throw new TypeError(`${label}: expected string, found ${describe(value)}`);
  const bytes = cstring(value), memory = arena(), offset = memory.alloc(bytes.length);
  memory.bytes.set(bytes, offset);
  return offset;
}

/** Returns the address of bytes, which are placed in native memory; a given address is returned unchanged. */
export function placeData(value: unknown, label: string): bigint {
  if (value === undefined || value === null) return 0n;
  if (typeof value === "bigint") return value;
  if (ArrayBuffer.isView(value)) return arena().place(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof ArrayBuffer) return arena().place(new Uint8Array(value));
  throw new TypeError(
    `${label}: expected bytes (ArrayBuffer or a view of one) or an address (bigint), found ${describe(value)}`,
  );
}

/** Returns how many elements a counted argument holds; 0 if it is absent. */
export function lengthOf(value: unknown, label: string): number {
  if (value === undefined || value === null) return 0;
  const length = values.lengthOfValue(value);
  if (length !== undefined) return length;
  throw new TypeError(`${label}: expected an array to count, found ${describe(value)}`);
}

/** Returns how many bytes of data a counted argument holds. */
export function byteLengthOf(value: unknown, label: string): number {
  if (value === undefined || value === null) return 0;
  const { byteLength } = value as { byteLength?: unknown };
  if (typeof byteLength === "number") return byteLength;
  throw new TypeError(
    `${label}: expected bytes to count, found ${describe(value)}; an address has no length, use the raw form`,
  );
}

/**
 * Returns the common length of arrays that share a count. `names` has their
 * names, with a `+` behind those that may only be absent if nothing is counted.
 */
export function sameLength(arrays: readonly unknown[], names: string, label: string): number {
  return lengthOfAll(arrays) ?? checkedLength(arrays, names, label);
}

/** Returns the length of all, if all are arrays of the same length, which is the fast case. */
function lengthOfAll(arrays: readonly unknown[]): number | undefined {
  const [first] = arrays;
  if (!Array.isArray(first)) return undefined;
  for (let i = 1; i < arrays.length; i++) {
    const each = arrays[i];
    if (!Array.isArray(each) || each.length !== first.length) return undefined;
  }
  return first.length;
}

function checkedLength(arrays: readonly unknown[], names: string, label: string): number {
  const given = arrays.filter((array) => array !== undefined && array !== null);
  const lengths = given.map((array) => lengthOf(array, label)), length = lengths[0] ?? 0;
  if (lengths.some((each) => each !== length)) {
    const which = names.replaceAll("+", "").replaceAll(" ", ", ");
    throw new TypeError(`${label}: ${which} must have the same length, found ${lengths.join(" and ")}`);
  }
  if (length > 0 && given.length < arrays.length) checkAbsent(arrays, names.split(" "), label);
  return length;
}

function checkAbsent(arrays: readonly unknown[], names: readonly string[], label: string): void {
  const absent = names.find((name, index) => name.endsWith("+") && (arrays[index] ?? undefined) === undefined);
  if (absent) missing(`${label.replace(/ .*/, "")} ${absent.slice(0, -1)}`);
}

/** Returns the length of an array. Throws if it has fewer elements than required. */
export function atLeast(length: number, count: number, label: string): number {
  if (length >= count) return length;
  throw new TypeError(`${label}: expected at least ${count} elements, as another argument says, found ${length}`);
}

/** Returns the length of an array. Throws if it has not exactly the required number of elements. */
export function exactly(value: unknown, count: number, label: string): number {
  const length = lengthOf(value, label);
  if (length === count) return count;
  throw new TypeError(`${label}: expected ${count} elements, found ${length}`);
}

/** Returns how many elements a driver has written. Throws if the driver reports more than there was room for. */
export function fitting(count: number, room: number, command: string): number {
  if (count <= room) return count;
  throw broken(command, `the driver says that ${count} elements were written, and there was room for ${room}`);
}

/** No list has as many elements. Data that are counted in bytes may have more. */
const MOST_ELEMENTS = 2 ** 20;

/** Returns the count of a list. Throws if no driver can mean it. */
export function counted(count: number, command: string): number {
  if (count <= MOST_ELEMENTS) return count;
  throw broken(command, `the driver counts ${count} elements, more than any list has`);
}

/** The most times that a list may say VK_INCOMPLETE to the room that its own count asked for. */
const MOST_TURNS = 16;

/** Whether a list is counted and read again after VK_INCOMPLETE. Throws if this has no end. */
export function countsAgain(turn: number, written: number, command: string): true {
  if (turn < MOST_TURNS) return true;
  throw broken(
    command,
    `VK_INCOMPLETE ${turn} times, each time with room for as many elements as were counted, at last with ${written} ` +
      "written: the raw form takes a larger count",
  );
}

/** The error of a list that no driver can mean. */
function broken(command: string, found: string): VulkanError {
  return new VulkanError(command, VK_ERROR_UNKNOWN, `${found}; the driver or a layer is broken`);
}

/** Throws the error of a negative VkResult. */
export function fail(command: string, result: number): never {
  throw new VulkanError(command, result);
}

/** Returns what a caller gave for a struct to fill: a list is its pNext chain, an object the struct itself. */
export function givenOutput(value: unknown): Record<string, unknown> | undefined {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? { pNext: value } : value as Record<string, unknown>;
}

/** Reads `count` elements of `size` bytes each, starting at an arena offset. */
export function list<T>(count: number, offset: number, size: number, read: (offset: number) => T): T[] {
  const items: T[] = [];
  for (let i = 0; i < count; i++, offset += size) items.push(read(offset));
  return items;
}

/** Copies bytes out of the arena. */
export function copyBytes(offset: number, count: number): Uint8Array {
  return arena().bytes.slice(offset, offset + count);
}

/** Throws because the object of a command is closed. */
export function refuseClosed(command: string, subject: string): never {
  throw new TypeError(`Cannot call ${command}: the ${subject} is closed; keep it open while its objects are in use`);
}

/** The same with the object itself. */
export function refuseObject(command: string, object: object): never {
  return refuseClosed(command, (object as { type?: string }).type ?? "loader");
}
