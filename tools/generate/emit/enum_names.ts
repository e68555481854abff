import { commonPrefix } from "../docs/comment.ts";
import type { EnumType, Registry } from "../registry/model.ts";
import { header, textConstant } from "./header.ts";

/** Enums whose values have their names elsewhere: results, and structure types, which are the structs' names. */
const ELSEWHERE = new Set(["VkResult", "VkStructureType"]);

/** Writes `enum_names_gen.js`: the names of the values of every enum and of the bits of every flags type. */
export function emitEnumNames(registry: Registry): string {
  const flags = new Map<string, string>();
  for (const type of registry.types.values()) if (type.kind === "flags" && type.of) flags.set(type.of, type.name);
  const enums = [...registry.types.values()].filter((type): type is EnumType => type.kind === "enum")
    .filter(({ name, values }) => !ELSEWHERE.has(name) && values.length > 0);
  return header(registry.version) + textConstant(
    "ENUM_NAMES",
    "One line per enum: ` NAME [FLAGS] : PREFIX NAME=VALUE ...`; FLAGS is the type that combines its bits, PREFIX what all value names begin with.",
    enums.map((type) => ` ${[type.name, flags.get(type.name)].filter(Boolean).join(" ")} : ${valuesOf(type)}`),
  );
}

function valuesOf({ values }: EnumType): string {
  const own = values.filter((value) => !value.alias);
  const prefix = commonPrefix(own.map(({ name }) => name));
  return [prefix, ...own.map(({ name, value }) => `${name.slice(prefix.length)}=${value}`)].join(" ");
}
