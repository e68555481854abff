/** A parsed struct member or command parameter of the generated tables. */
export interface Spec {
  /** The C name. */
  readonly name: string;
  /** The number of `*` in the declaration; 0 for a value. */
  readonly stars: number;
  /** A scalar code (`u8` … `f64`, `usize`, `bool`, `str`, `void`, `p`) or the name of a struct, union, enum, flags or handle type. */
  readonly type: string;
  /** Extents of an inline array, outermost first; empty for none. */
  readonly dims: readonly number[];
  /** The count expressions, one per level of indirection, joined by `,`; `""` for none. */
  readonly len: string;
  /** Width of a bit-field in bits; 0 if the member is not a bit-field. */
  readonly bits: number;
  /** The sibling member that selects the valid member of this union; `""` for none. */
  readonly selector: string;
  /** The selector values that choose this union member; empty for none. */
  readonly selection: readonly number[];
  /** Whether a caller must give the member: a pointer or handle that must not be null. */
  readonly required: boolean;
  /** Whether the driver writes through the pointer (parameters only). */
  readonly written: boolean;
  /** Whether the registry marks the member optional (parameters, and handles in structs). */
  readonly optional: boolean;
  /** Whether no element of an array of handles may be null. */
  readonly full: boolean;
}

const GRAMMAR =
  /^(\w+):(\**)(\w+)((?:\{\d+\})*)(?:\[([^\]]*)\])?(?:\/(\d+))?(?:@(\w+))?(?:=([-\d|]+))?(\+?)(!?)(\??)(#?)$/;

/**
 * Parses one member or parameter of the generated tables.
 *
 * The shape is `name:` stars `type` dims len bits selector selection marks, for
 * example `pQueuePriorities:*f32[queueCount]+` or `mask:u32/8`.
 *
 * @throws {TypeError} if the text does not follow the grammar.
 *
 * @example A required array with its count
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const spec = parseSpec("pQueuePriorities:*f32[queueCount]+");
 * assertEquals([spec.stars, spec.type, spec.len, spec.required], [1, "f32", "queueCount", true]);
 * ```
 */
export function parseSpec(text: string): Spec {
  const found = GRAMMAR.exec(text);
  if (!found) {
    throw new TypeError(
      `Cannot parse the table entry "${text}": found no name:type shape; run "deno task generate" to rewrite the tables`,
    );
  }
  return {
    name: found[1],
    stars: found[2].length,
    type: found[3],
    dims: numbers(found[4].slice(1, -1), "}{"),
    len: found[5] ?? "",
    bits: Number(found[6] ?? 0),
    selector: found[7] ?? "",
    selection: numbers(found[8] ?? "", "|"),
    required: found[9] !== "",
    written: found[10] !== "",
    optional: found[11] !== "",
    full: found[12] !== "",
  };
}

function numbers(text: string, separator: string): number[] {
  return text === "" ? [] : text.split(separator).map(Number);
}

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
