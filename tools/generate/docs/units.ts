import type { Declaration } from "../registry/model.ts";
import { listed } from "./comment.ts";

/** Names of a `size_t` that is no number of bytes. */
const NO_BYTES = /Count$|^location$/;
/** Times, by their names; the registry has a type of numbers for them. */
const NANOSECONDS = /^(?:timeout|refreshDuration|presentMargin|\w*PresentTime|timestampPeriod)$/;
const MICROSECONDS = /TimeUs$/;
/** Numbers that the specification keeps from 0 to 1, with every extension. */
const FRACTIONS = /^(?:pQueuePriorities|minSampleShading|globalAlpha|priority)$/;

/** Returns the unit of a number, or the range that it lies in: "in bytes"; `undefined` where neither is known. */
export function unitOf({ name, type }: Pick<Declaration, "name" | "type">): string | undefined {
  if (type === "VkDeviceSize" || (type === "size_t" && !NO_BYTES.test(name))) return "in bytes";
  if (type === "float" && FRACTIONS.test(name)) return "from 0 to 1";
  if (type !== "uint64_t" && type !== "float") return undefined;
  if (MICROSECONDS.test(name)) return "in microseconds";
  return NANOSECONDS.test(name) ? "in nanoseconds" : undefined;
}

/** A sentence on the units of a command's parameters; `undefined` where none has a unit. */
export function unitsOf(parameters: readonly Declaration[]): string | undefined {
  const byUnit = Map.groupBy(parameters, unitOf);
  byUnit.delete(undefined);
  const parts = [...byUnit].map(([unit, those]) => `${listed(those.map(({ name }) => name), 9)} ${unit}`);
  return parts.length === 0 ? undefined : `Takes ${parts.join(", ")}.`;
}
