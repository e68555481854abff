import { NATIVE_STRUCTS, NATIVE_VALUES } from "../native_lists.ts";
import { type Registry, resolveType } from "../registry/model.ts";
import { header } from "./header.ts";
import { valuesByName } from "./spec.ts";

/**
 * Writes `native_gen.ts`: values, and places in structs, for code that reads and
 * writes native memory by itself. Names that the registry lacks are left out, so
 * that an older one can be read; code that needs them does not compile then.
 */
export function emitNative(registry: Registry): string {
  const values = valuesByName(registry), known = NATIVE_VALUES.filter((name) => values.has(name));
  const lines = known.map((name) => `export const ${name} = ${values.get(name)};\n`);
  return header(registry.version) + [...lines, ...NATIVE_STRUCTS.map((name) => structText(registry, name))].join("");
}

/** A constant named as the C struct, with a place for each member, as the bigint that is added to an address. */
function structText({ types, layouts }: Registry, name: string): string {
  const struct = resolveType(types, name), layout = struct && layouts.get(struct.name);
  if (struct?.kind !== "struct" || !layout) return "";
  const members = struct.members.map((member, index) => `${member.name}: ${layout.places[index].offset}n`);
  return `/** ${name}: ${layout.size} bytes, and where its members are. */\n` +
    `export const ${name} = { ${members.join(", ")} } as const;\n`;
}
