import type { Registry, StructType } from "../registry/model.ts";
import { header } from "./header.ts";
import { homeOf } from "./module.ts";
import { valuesByName } from "./spec.ts";

/**
 * Writes `structure_types_gen.ts`: the values of `sType` by the names of the
 * structs. The checker prints the names where it would print the values.
 */
export function emitStructureNames(registry: Registry): string {
  const values = valuesByName(registry);
  const structs = [...registry.types.values()].filter((type) =>
    type.kind === "struct" && type.sType !== undefined && homeOf(registry, type.name) !== undefined
  ) as StructType[];
  return `${header(registry.version)}
/**
 * The \`sType\` of each struct, by the struct's name. This is a type alone:
 * programs use the constants \`VK_STRUCTURE_TYPE_...\`, which have the same
 * values.
 */
export declare enum StructureType {
${
    structs.map(({ name, sType }) => `/** The \`sType\` of {@linkcode ${name}}. */\n${name} = ${values.get(sType!)},\n`)
      .join("")
  }}
`;
}

/** Writes `names_gen.ts`: the types of all structs by their names, and the names of all handles. */
export function emitNames(registry: Registry): string {
  const types = [...registry.types.values()].filter(({ name }) => homeOf(registry, name) !== undefined);
  const structs = types.filter(({ kind }) => kind === "struct"),
    handles = types.filter(({ kind }) => kind === "handle");
  return `${header(registry.version)}import type * as t from "../types.ts";

/** Every struct and union by its C name. */
export interface StructTypes {
${structs.map(({ name }) => `/** {@linkcode ${name}} */\n${name}: t.${name};\n`).join("")}}

/** The name of a handle type. */
export type HandleName =
${handles.map(({ name }) => `| "${name}"\n`).join("")};
`;
}
