/** After so many searches through the text, an index costs less than further ones. */
const SEARCHES = 16;

/**
 * The lines of a generated table, of which each begins with a name and a blank and follows a line break. A script that
 * names few lines searches the text for them; an index of all is made for who names many.
 */
export class TableLines {
  readonly #text: string;
  #searches = 0;
  #starts: ReadonlyMap<string, number> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the line of a name; `undefined` if there is none. */
  find(name: string): string | undefined {
    const start = this.#start(name);
    if (start === undefined) return undefined;
    const end = this.#text.indexOf("\n", start);
    return this.#text.slice(start, end < 0 ? undefined : end);
  }

  #start(name: string): number | undefined {
    if (!this.#starts && this.#searches++ < SEARCHES) {
      const found = this.#text.indexOf(`\n${name} `);
      return found < 0 ? undefined : found + 1;
    }
    return (this.#starts ??= startsIn(this.#text)).get(name);
  }
}

function startsIn(text: string): Map<string, number> {
  const starts = new Map<string, number>();
  for (let line = text.indexOf("\n"); line >= 0; line = text.indexOf("\n", line + 1)) {
    const blank = text.indexOf(" ", line);
    if (blank >= 0) starts.set(text.slice(line + 1, blank), line + 1);
  }
  return starts;
}
