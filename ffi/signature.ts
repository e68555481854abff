/** A parsed signature. */
export interface Signature {
  /** The source text, such as `"s:qooo"`. */
  readonly text: string;
  /** The letter of the result. */
  readonly result: string;
  /** The letters of the parameters. */
  readonly parameters: string;
  /** Only the integer parameters: `o` for arena offsets, `i` for the others. Signatures of equal shape share a stub. */
  readonly shape: string;
}

const FOREIGN_TYPES: Record<string, Deno.NativeType> = {
  q: "u64",
  w: "u32",
  s: "i32",
  f: "f32",
  d: "f64",
  o: "u32",
};

const parsed = new Map<string, Signature>();

/**
 * Parses a signature: a letter for the result, a colon, and a letter for each
 * parameter.
 *
 * | letter | C | TypeScript |
 * |---|---|---|
 * | `q` | `uint64_t`, handles, addresses | `bigint` |
 * | `w` | `uint32_t` | `number`, 0 to 2³²−1 |
 * | `s` | `int32_t`, `VkResult` | `number` |
 * | `f`, `d` | `float`, `double` | `number` |
 * | `o` | a pointer into the arena | `number`, the offset; 0 is NULL |
 * | `v` | `void`, only as result | `undefined` |
 *
 * Throws a `TypeError` for any other text, and for more than eight
 * floating-point parameters (no API here has them).
 *
 * @example What vkCreateBuffer looks like
 * ```ts
 * import { parseSignature } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseSignature("s:qooo").shape, "iooo");
 * ```
 */
export function parseSignature(text: string): Signature {
  const known = parsed.get(text);
  if (known) return known;
  if (!/^[qwsfdv]:[qwsfdo]*$/.test(text) || text.replace(/[^fd]/g, "").length > 8 + Number(/^[fd]/.test(text))) {
    throw new TypeError(
      `Cannot use signature "${text}": write a result letter of "qwsfdv", ":", and letters of "qwsfdo"`,
    );
  }
  const parameters = text.slice(2);
  const shape = parameters.replace(/[fd]/g, "").replace(/[^o]/g, "i");
  const signature = { text, result: text[0], parameters, shape };
  parsed.set(text, signature);
  return signature;
}

/** Returns the Deno FFI types of a signature's parameters. */
export function foreignParameters(signature: Signature): Deno.NativeType[] {
  return Array.from(signature.parameters, (letter) => FOREIGN_TYPES[letter]);
}

/** Returns the Deno FFI type of a signature's result. */
export function foreignResult(signature: Signature): Deno.NativeResultType {
  return signature.result === "v" ? "void" : FOREIGN_TYPES[signature.result];
}
