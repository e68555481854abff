import type { Found, Range } from "./replayed.ts";

/** One range with what was found, a line of the file. */
interface Note extends Range {
  readonly found: readonly Found[];
}

/** What earlier runs and this one replayed, kept in a file, so that a run that is cut off goes on where it was. */
export class Notes {
  readonly #path: string | undefined;
  readonly #notes: Note[] = [];

  /** Reads the file, if there is one. Without a path nothing is kept. */
  constructor(path: string | undefined) {
    this.#path = path;
    try {
      const text = path === undefined ? "" : Deno.readTextFileSync(path);
      for (const line of text.split("\n").filter(Boolean)) this.#notes.push(JSON.parse(line));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  /** What was found in all ranges. */
  get found(): Found[] {
    return this.#notes.flatMap(({ found }) => found);
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
