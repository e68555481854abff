import type { Spec } from "../../codec/layout/spec.ts";

/** The form of a command's pointers: `"arena"` passes arena offsets where possible, `"raw"` only addresses. */
export type Form = "arena" | "raw";

/** The class of a type name in the tables. */
export type TypeClass = "enum" | "flags" | "flags64" | "handle" | "pointer" | "struct";

/** The lists of type names that the generated struct table exports, each as `" a b c "`. */
export interface TypeLists {
  /** 32-bit signed enums. */
  readonly ENUMS: string;
  /** 32-bit flags and their bits. */
  readonly FLAGS: string;
  /** 64-bit flags and their bits. */
  readonly FLAGS64: string;
  /** Dispatchable and non-dispatchable handles. */
  readonly HANDLES: string;
  /** Function pointers. */
  readonly POINTERS: string;
}

/**
 * The stub letters of the scalar codes. Bytes and 16-bit words widen to 32
 * bits, as the C calling convention requires.
 */
const SCALAR_LETTERS: Readonly<Record<string, string>> = {
  u8: "w",
  u16: "w",
  u32: "w",
  bool: "w",
  i8: "s",
  i16: "s",
  i32: "s",
  u64: "q",
  i64: "q",
  usize: "q",
  p: "q",
  f32: "f",
  f64: "d",
};

/** Result types other than enums, flags and handles, by their C names. */
const RESULT_CODES: Readonly<Record<string, string>> = {
  VkBool32: "bool",
  uint32_t: "u32",
  uint64_t: "u64",
  size_t: "usize",
  VkDeviceSize: "u64",
  VkDeviceAddress: "u64",
};

/** Classes that were found: a search reads the lists, and a few types have most parameters. */
const classes = new WeakMap<TypeLists, Map<string, TypeClass>>();

/** Returns the class of a type name. Names in no list are structs and unions. */
export function classOf(type: string, lists: TypeLists): TypeClass {
  let known = classes.get(lists);
  if (!known) classes.set(lists, known = new Map());
  let found = known.get(type);
  if (!found) known.set(type, found = searched(type, lists));
  return found;
}

function searched(type: string, lists: TypeLists): TypeClass {
  const key = ` ${type} `;
  if (lists.FLAGS.includes(key)) return "flags";
  if (lists.ENUMS.includes(key)) return "enum";
  if (lists.HANDLES.includes(key)) return "handle";
  if (lists.FLAGS64.includes(key)) return "flags64";
  return lists.POINTERS.includes(key) ? "pointer" : "struct";
}

/**
 * Returns the stub signature of a command, for example `s:qooo` for
 * `vkCreateBuffer` in the arena form: the letter of the result, a colon, one
 * letter for each parameter (`q` u64, `w` u32, `s` i32, `f` f32, `d` f64, `o`
 * arena offset, `v` no result).
 *
 * In the arena form, pointers to structs, arrays, strings and outputs travel as
 * offsets. Bytes that the driver only reads, and pointers to types that only
 * the platform knows, travel as addresses in both forms.
 *
 * @throws {TypeError} if a parameter or the result is a struct by value, which
 *   no Vulkan command has.
 *
 * @example Both forms of vkCreateBuffer
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSpec } from "../../codec/layout/spec.ts";
 *
 * const lists = { ENUMS: " VkResult ", FLAGS: " ", FLAGS64: " ", HANDLES: " VkBuffer VkDevice ", POINTERS: " " };
 * const parameters = ["device:VkDevice", "pCreateInfo:*VkBufferCreateInfo", "pAllocator:*VkAllocationCallbacks?",
 *   "pBuffer:*VkBuffer!"].map(parseSpec);
 * assertEquals(signatureOf("VkResult", parameters, "arena", lists), "s:qooo");
 * assertEquals(signatureOf("VkResult", parameters, "raw", lists), "s:qqqq");
 * ```
 */
export function signatureOf(result: string, parameters: readonly Spec[], form: Form, lists: TypeLists): string {
  return `${resultLetter(result, lists)}:${parameters.map((each) => parameterLetter(each, form, lists)).join("")}`;
}

/** Returns the stub letter of one parameter. Throws a `TypeError` for a struct by value. */
export function parameterLetter(spec: Spec, form: Form, lists: TypeLists): string {
  if (spec.stars === 0 && spec.dims.length === 0) return valueLetter(spec.type, lists);
  return form === "arena" && travelsInArena(spec) ? "o" : "q";
}

/** Returns the stub letter of a result's C type. Throws a `TypeError` for a struct by value. */
export function resultLetter(type: string, lists: TypeLists): string {
  return type === "void" ? "v" : valueLetter(RESULT_CODES[type] ?? type, lists);
}

function travelsInArena(spec: Spec): boolean {
  return spec.written || (spec.type !== "void" && spec.type !== "u8");
}

function valueLetter(type: string, lists: TypeLists): string {
  const letter = SCALAR_LETTERS[type];
  if (letter !== undefined) return letter;
  const kind = classOf(type, lists);
  if (kind === "struct") {
    throw new TypeError(
      `Cannot pass "${type}" by value: found a struct; commands take and return scalars and pointers`,
    );
  }
  return kind === "enum" ? "s" : kind === "flags" ? "w" : "q";
}
