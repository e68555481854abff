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
