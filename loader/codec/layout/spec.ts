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
