import { NATIVE_STRUCTS, NATIVE_VALUES } from "../native_lists.ts";
import { type Registry, resolveType } from "../model.ts";
import { header } from "./header.ts";
import { valuesByName } from "./spec.ts";

/**
 * Writes `native_gen.ts`: values, and places in structs, for code that reads and
 * writes native memory by itself. Throws an `Error` for a name that the registry
 * does not have.
 */
export function emitNative(registry: Registry): string {
  const values = valuesByName(registry);
  const lines = NATIVE_VALUES.map((name) => {
    const value = values.get(name);
    if (value === undefined) {
      throw new Error(`Cannot find "${name}" in the registry: see tools/generate/native_lists.ts`);
    }
    return `/** ${name} */\nexport const ${name} = ${value};\n`;
  });
  const structs = NATIVE_STRUCTS.map((name) => structText(registry, values, name));
  return header(registry.version) + [...lines, ...structs].join("");
}

/** A constant named as the C struct, with a place for each member, as the bigint that is added to an address. */
function structText(registry: Registry, values: ReadonlyMap<string, number | bigint>, name: string): string {
  const struct = resolveType(registry.types, name), layout = registry.layouts.get(struct?.name ?? name);
  if (struct?.kind !== "struct" || !layout) {
    throw new Error(`Cannot find struct "${name}" in the registry: see tools/generate/native_lists.ts`);
  }
  const places = struct.members.map((member, index) => `  ${member.name}: ${layout.places[index].offset}n,\n`);
  const sType = struct.sType === undefined ? "" : ` Its sType is ${values.get(struct.sType)}.`;
  return `/** ${name}: ${layout.size} bytes, and where its members are.${sType} */\n` +
    `export const ${name} = {\n${places.join("")}} as const;\n`;
}
