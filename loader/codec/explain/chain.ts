import { describe, first } from "./describe.ts";
import type { Layout } from "../layout/layout.ts";
import type { Finder } from "../struct_codec.ts";
import type { StructObject } from "../values/convert.ts";

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
