/** The most filters that the Khronos loader takes from one variable, and the most bytes of each. */
const MOST_FILTERS = 16, MOST_LENGTH = 255;
/** Patterns that match every name. */
const EVERYTHING = new Set(["*", "**", "~all~"]);

/** A test for names, from `VK_LOADER_DRIVERS_SELECT` and similar variables. */
export type NameFilter = (name: string) => boolean;

/**
 * Parses a comma-separated list of patterns: a whole name, `prefix*`,
 * `*suffix`, `*part*` or `*`, in any case. Returns `undefined` for an empty
 * list.
 *
 * @example Any of several patterns
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const matches = parseFilter("lvp*,*NVIDIA*")!;
 * assertEquals(["lvp_icd.json", "nvidia_icd.json", "intel_icd.json"].map(matches), [true, true, false]);
 * ```
 */
export function parseFilter(list: string): NameFilter | undefined {
  const patterns = list.split(",").filter((pattern) => pattern !== "").slice(0, MOST_FILTERS);
  if (patterns.length === 0) return undefined;
  const tests = patterns.map((pattern) => parsePattern(pattern.slice(0, MOST_LENGTH).toLowerCase()));
  return (name) => tests.some((test) => test(name.toLowerCase()));
}

function parsePattern(pattern: string): NameFilter {
  if (EVERYTHING.has(pattern)) return () => true;
  const open = pattern.startsWith("*"), ended = pattern.endsWith("*");
  const word = pattern.slice(open ? 1 : 0, ended ? -1 : undefined);
  if (open && ended) return (name) => name.includes(word);
  if (open) return (name) => name.endsWith(word);
  return ended ? (name) => name.startsWith(word) : (name) => name === word;
}
