import { describe, expectedScalar } from "../../../ffi/scalar.ts";
import type { Kind, Layout } from "../layout/layout.ts";
import type { Finder } from "../struct_codec.ts";
import type { StructObject } from "../values/convert.ts";

/** Describes what a scalar of a kind should be, in place of the value; of a handle, of this type. */
export function expected(kind: Kind, type = "", value: unknown = undefined): string {
  const isOther = kind === "h" && typeof value === "object" && value !== null && "handle" in value;
  return isOther ? `an open ${type}` : expectedScalar(kind);
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
