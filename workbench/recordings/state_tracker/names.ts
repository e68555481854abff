import type { RecordedLine } from "../record/line.ts";

const NAME = /^Vk\w+#\d+$/;

/** Returns the names of objects that a value mentions. */
export function namesOf(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === "string") return NAME.test(value) ? found.add(value) : found;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return found;
  for (const each of Array.isArray(value) ? value : Object.values(value)) namesOf(each, found);
  return found;
}

/** Returns the names that a line needs to be there. */
export function usedBy(line: RecordedLine): Set<string> {
  if ("command" in line) return namesOf(line.args);
  return namesOf("write" in line ? line.write : "read" in line ? line.read : "");
}

/** Returns the names that a line makes, or gets from the objects it asks. */
export function madeBy(line: RecordedLine): Set<string> {
  return "command" in line ? namesOf(line.out ?? {}) : new Set();
}

/** Numbers whose bits share one array. */
const PAGE = 4096, BITS = 32;

/**
 * A set of names of objects: a type and a number. A long recording makes
 * millions of objects, so that a name costs a bit or so.
 */
export class NameSet {
  readonly #pages = new Map<string, Uint32Array>();

  /** Adds a name. */
  add(name: string): void {
    const { page, word, bit } = placeOf(name), known = this.#pages.get(page) ?? new Uint32Array(PAGE / BITS);
    known[word] |= bit;
    this.#pages.set(page, known);
  }

  /** Removes a name. */
  delete(name: string): void {
    const { page, word, bit } = placeOf(name), known = this.#pages.get(page);
    if (known) known[word] &= ~bit;
  }

  /** Whether a name is in the set. */
  has(name: string): boolean {
    const { page, word, bit } = placeOf(name);
    return ((this.#pages.get(page)?.[word] ?? 0) & bit) !== 0;
  }
}

function placeOf(name: string): { page: string; word: number; bit: number } {
  const [type, text] = name.split("#"), number = Number(text), inside = number % PAGE;
  return { page: `${type}#${Math.floor(number / PAGE)}`, word: Math.floor(inside / BITS), bit: 1 << inside % BITS };
}
