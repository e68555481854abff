import type { Registry } from "../registry/model.ts";
import { header } from "./header.ts";
import { homeOf } from "./module.ts";

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
