import type { Found, Range } from "./replayed.ts";

/** One range with what was found, a line of the file. */
interface Note extends Range {
  readonly found: readonly Found[];
}

/**
 * The programs that earlier runs and this one replayed, kept in a file, so that a run that is cut off goes on where it
 * was.
 */
export class Notes {
  readonly #path: string | undefined;
  readonly #notes: Note[] = [];

  /** Reads the file, if there is one. Without a path nothing is kept. */
  constructor(path: string | undefined) {
    this.#path = path;
    if (path === undefined) return;
    const text = textOf(path), end = text.lastIndexOf("\n") + 1;
    for (const line of text.slice(0, end).split("\n").filter(Boolean)) this.#notes.push(JSON.parse(line));
    // A run that was cut off may have left a part of a line.
    if (end < text.length) Deno.truncateSync(path, new TextEncoder().encode(text.slice(0, end)).length);
  }

  /** The findings in all ranges. */
  get found(): Found[] {
    return this.#notes.flatMap(({ found }) => found);
  }

  /** The number of programs that were replayed, by driver. */
  get programs(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { driver, from, to } of this.#notes) counts.set(driver, (counts.get(driver) ?? 0) + to - from);
    return counts;
  }

  /** Whether a range was replayed. */
  has(range: Range): boolean {
    return this.#notes.some((note) => keyOf(note) === keyOf(range));
  }

  /** Notes what was found in a range, on disk at once. */
  add(range: Range, found: readonly Found[]): void {
    const note = { ...range, found };
    this.#notes.push(note);
    if (this.#path !== undefined) Deno.writeTextFileSync(this.#path, `${JSON.stringify(note)}\n`, { append: true });
  }
}

function keyOf({ driver, actions, from, to }: Range): string {
  return JSON.stringify([driver, actions, from, to]);
}

function textOf(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

/** Returns one line about all that was replayed. */
export function sumOf({ programs, found }: Pick<Notes, "programs" | "found">): string {
  const all = [...programs.values()].reduce((sum, each) => sum + each, 0), ended = found.filter(({ ended }) => ended);
  const drivers = [...programs].map(([driver, count]) => `${count} on ${driver.split("/").at(-1)}`).join(", ");
  return `${all} programs (${drivers}): ${
    found.length - ended.length
  } with messages, ${ended.length} ended their process`;
}
