import type { Kind, Layout } from "../layout/layout.ts";
import type { Finder } from "../struct_codec.ts";
import { isClosed, type StructObject } from "../values/convert.ts";

/** Describes a value for an error message: the type and, if it is short, the value. */
export function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === "bigint") return `bigint ${value}n`;
  if (typeof value === "string") {
    return `string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  }
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value === "object") return describeObject(value);
  return typeof value === "function" ? "function" : `${typeof value} ${String(value)}`;
}

function describeObject(value: object): string {
  const { handle, type } = value as { handle?: unknown; type?: unknown };
  if (typeof handle === "bigint" && typeof type === "string") return isClosed(value) ? `closed ${type}` : type;
  const kind = value.constructor?.name;
  if (kind !== undefined && kind !== "Object") return kind;
  const keys = Object.keys(value);
  return keys.length === 0 ? "object {}" : `object { ${keys.slice(0, 4).join(", ")}${keys.length > 4 ? ", …" : ""} }`;
}

const EXPECTED: Partial<Record<Kind, string>> = {
  u8: "integer from 0 to 255",
  i8: "integer from -128 to 127",
  u16: "integer from 0 to 65535",
  i16: "integer from -32768 to 32767",
  u32: "integer from 0 to 4294967295",
  i32: "integer from -2147483648 to 2147483647",
  u64: "bigint",
  i64: "bigint",
  usize: "size (whole number or bigint)",
  f32: "number",
  f64: "number",
  bool: "boolean",
  h: "handle (bigint, object with a handle, or null)",
  p: "address (bigint or null)",
};

/** Describes what a scalar of a kind should be, in place of the value; of a handle, of this type. */
export function expected(kind: Kind, type = "", value: unknown = undefined): string {
  const isOther = kind === "h" && typeof value === "object" && value !== null && "handle" in value;
  return isOther ? `an open ${type}` : EXPECTED[kind] ?? kind;
}

/** Suggests how to write what was probably meant; empty if that is unknown. */
export function hint(kind: Kind, value: unknown): string {
  const big = kind === "u64" || kind === "i64" || kind === "h" || kind === "p";
  if (big && typeof value === "number" && Number.isInteger(value)) return ` (write ${value}n)`;
  if ((kind === "u64" || kind === "h") && typeof value === "bigint") return " (64 bits hold 0 to 2^64 - 1)";
  if (kind === "i64" && typeof value === "bigint") return " (64 bits hold -2^63 to 2^63 - 1)";
  return !big && kind !== "bool" && typeof value === "bigint" ? ` (write ${value})` : "";
}

/** Returns the first problem among the items; `undefined` if there is none. */
export function first<T>(items: Iterable<T>, problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
}

/** Returns why a struct cannot be encoded; `undefined` if nothing is wrong. */
type Explain = (layout: Layout, object: unknown, path: string, find: Finder, out: boolean) => string | undefined;

/**
 * Returns why a `pNext` value cannot be encoded; `undefined` if nothing is
 * wrong. `explain` examines its structs. In a chain for a driver to fill
 * (`out`) a number stands for an empty struct.
 */
export function explainChain(
  next: unknown,
  place: string,
  find: Finder,
  out: boolean,
  explain: Explain,
): string | undefined {
  if (typeof next === "bigint" || next === null) return undefined;
  if (!Array.isArray(next)) return explainLink(next, place, find, out, explain);
  return first(next.keys(), (index) => explainLink(next[index], `${place}[${index}]`, find, out, explain)) ??
    first(next.keys(), (index) => explainOrder(next, index, place));
}

function explainLink(item: unknown, place: string, find: Finder, out: boolean, explain: Explain): string | undefined {
  if (typeof item === "bigint") return undefined;
  const sType = out && typeof item === "number" ? item : (Object(item) as StructObject).sType;
  if (typeof sType !== "number") {
    return typeof item === "object" && item !== null
      ? `${place}.sType is required in a chain, found ${describe(sType)}; name the structure type`
      : `${place}: expected a struct with its sType${out ? ", or an sType" : ""}, found ${describe(item)}`;
  }
  const codec = find.bySType(sType);
  if (codec !== undefined) return typeof item === "number" ? undefined : explain(codec.layout, item, place, find, out);
  if (typeof (item as StructObject).address === "bigint") return undefined;
  return `${place}.sType: ${sType} is no structure type the registry knows; pass such a struct as { sType, address }`;
}

/** A struct whose own `pNext` is an address must be last, because native memory behind it cannot be changed. */
function explainOrder(items: unknown[], index: number, place: string): string | undefined {
  const { pNext } = Object(items[index]) as StructObject;
  if (typeof pNext !== "bigint" || pNext === 0n || index === items.length - 1) return undefined;
  return `${place}[${index}].pNext: expected no address, found ${describe(pNext)}; ` +
    `a struct that brings a native chain must be the last of the array`;
}
/** An object on the way from a struct to a member, and its members that are still to be walked. */
interface Step {
  readonly value: object;
  readonly path: string;
  readonly rest: Iterator<[string, unknown]>;
}

/** More values than lead to any member. Encoders call themselves for each. */
const DEEPEST = 4096;

/**
 * Returns where a value contains itself, such as a struct in its own `pNext`
 * chain, or is nested without measure; `undefined` if neither is so. Native
 * memory could hold a ring, but no driver would find the end.
 */
export function explainRing(value: unknown, path: string): string | undefined {
  const way: Step[] = [], places = new Map<unknown, string>(), done = new Set<unknown>();
  const enter = (value: unknown, path: string): string | undefined => {
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || done.has(value)) return undefined;
    const place = places.get(value);
    if (place !== undefined) return `${short(path)} is ${short(place)} itself; a chain or a struct needs an end`;
    if (way.length === DEEPEST) return `${short(path)}: over ${DEEPEST} values deep; a chain or a struct needs an end`;
    places.set(value, path);
    way.push({ value, path, rest: Object.entries(value)[Symbol.iterator]() });
  };
  let found = enter(value, path);
  while (found === undefined && way.length > 0) {
    const { value, path, rest } = way.at(-1)!, { done: isDone, value: member } = rest.next();
    if (isDone) {
      way.pop();
      places.delete(value);
      done.add(value);
    } else found = enter(member[1], Array.isArray(value) ? `${path}[${member[0]}]` : `${path}.${member[0]}`);
  }
  return found;
}

/** The path to a member, without the middle of a long one. */
function short(path: string): string {
  return path.length > 160 ? `${path.slice(0, 80)} … ${path.slice(-60)}` : path;
}
