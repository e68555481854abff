import { ENUM_NAMES } from "../../loader/gen/enum_names_gen.js";
import { RESULTS } from "../../loader/gen/results_gen.ts";
import { STRUCTS } from "../../loader/gen/structs_gen.js";

type Values = ReadonlyMap<string, number>;

/** The end of a value's name: the mark of a bit, and the author of its extension. */
const TAIL = /(?:_BIT)?(?:_(?:[A-Z]*[1-9])?(?:KHR|EXT|ANDROID|GOOGLE|NV|AMD|QCOM|ARM|IMG|INTEL|LUNARG))?$/;
/** Words of C that constants of no API begin with. */
const OF_C = /^CLOCK_/;

/** The values of each enum and of each type of flags, by their names. */
const TYPES = new Map<string, Values>(
  ENUM_NAMES.trim().split("\n").flatMap((line) => {
    const [types, text] = line.trim().split(" : "), [prefix] = text.split(" ", 1), values = readValues(text, prefix);
    return types.split(" ").map((type) => [type, values] as const);
  }),
);
TYPES.set("VkResult", readValues(RESULTS));
/** Types of flags, of which 0 is none. */
const FLAGS = /Flag/;
/** The values of everything, by name. */
const VALUES = new Map([...TYPES.values()].flatMap((values) => [...values]));
/** The values by each part of their names that begins with a word: TRANSFER_DST and DST for VK_BUFFER_USAGE_TRANSFER_DST_BIT. */
const PARTS = new Map<string, Map<number, string>>();
for (const [name, value] of VALUES) {
  const words = name.replace(TAIL, "").split("_");
  for (let first = 1; first < words.length; first++) {
    const part = words.slice(first).join("_"), named = PARTS.get(part) ?? new Map<number, string>();
    PARTS.set(part, named.has(value) ? named : named.set(value, name));
  }
}
/** Members of structs by their names, with the types that members of the name have. */
const MEMBERS = new Map<string, Set<string>>();
for (const line of STRUCTS.trim().split("\n")) {
  for (const [, name, type] of line.matchAll(/ (\w+):\**(\w+)/g)) {
    MEMBERS.set(name, (MEMBERS.get(name) ?? new Set()).add(type));
  }
}

function readValues(text: string, prefix = ""): Values {
  return new Map([...text.matchAll(/(\w+)=(-?\d+)/g)].map(([, name, value]) => [prefix + name, Number(value)]));
}

/** Whether a name is that of members with enums or flags alone, and of two words, so that it hardly means anything else. */
export function isVulkanMember(name: string): boolean {
  const types = [...MEMBERS.get(name) ?? []];
  return /^[a-z]+[A-Z]/.test(name) && types.length > 0 &&
    types.every((type) => TYPES.has(type) || type === "VkStructureType");
}

/**
 * The name of the value that a number is as a member of a Vulkan struct, or
 * that of another value of the member; `undefined` for members without enums,
 * and for flags that are 0.
 */
export function memberValue(member: string, number: number): string | undefined {
  const types = [...MEMBERS.get(member) ?? []].filter((type) => TYPES.has(type));
  if (number === 0 && types.some((type) => FLAGS.test(type))) return undefined;
  if (types.length === 0 || member.length === 1) return member === "sType" ? "VK_STRUCTURE_TYPE_…" : undefined;
  const all = types.flatMap((type) => [...TYPES.get(type)!]), equal = all.filter(([, value]) => value === number);
  const names = (equal.length > 0 ? equal : all).map(([name]) => name);
  return names.find((name) => !name.includes("_2_")) ?? names[0];
}

/** The value that a constant repeats by the end of its name, of two words or more: TRANSFER_DST = 2. */
export function repeatedValue(constant: string, number: number): string | undefined {
  if (!constant.includes("_") || OF_C.test(constant)) return undefined;
  const values = PARTS.get(constant.replace(TAIL, "")) ?? PARTS.get(constant);
  return values?.get(number) ?? values?.get(number | 0); // negative results are written without a sign, too
}

/** The value that a constant has by the comment above, which names the value itself or its type. */
export function statedValue(comment: string, constant: string, number: number): string | undefined {
  for (const [word] of comment.matchAll(/\bVK_[A-Z0-9_]+/g)) if (VALUES.get(word) === number) return word;
  for (const [type] of comment.matchAll(/\bVk[A-Z]\w+/g)) {
    for (const [name, value] of TYPES.get(type) ?? []) {
      if (value === number && name.replace(TAIL, "").endsWith(`_${constant}`)) return name;
    }
  }
}
