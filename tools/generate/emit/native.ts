import { NATIVE_OFFSETS, NATIVE_SIZES, NATIVE_STRUCTS } from "../native_layouts.ts";
import { NATIVE_VALUES } from "../native_lists.ts";
import { type Layout, type Registry, resolveType, type StructType } from "../registry/model.ts";
import { literal } from "./enums.ts";
import { header } from "./header.ts";
import { valuesByName } from "./spec.ts";

/**
 * Writes `native_gen.ts`: values, and places in structs, for code that reads and
 * writes native memory by itself. Names that the registry lacks are left out, so
 * that an older one can be read; code that needs them does not compile then.
 */
export function emitNative(registry: Registry): string {
  const values = valuesByName(registry), known = NATIVE_VALUES.filter((name) => values.has(name));
  const lines = known.map((name) => `export const ${name} = ${literal(values.get(name)!)};\n`);
  const structs = NATIVE_STRUCTS.map((name) => placesText(registry, name, name, "n"));
  const offsets = NATIVE_OFFSETS.map((name) => placesText(registry, name, `offsetsOf${name}`, ""));
  const sizes = NATIVE_SIZES.map((name) => sizeText(registry, name));
  return header(registry.version) + [...lines, ...sizes, ...structs, ...offsets].join("");
}

/** A constant with a place for each member of a C struct. `suffix`: `n` for bigints, which are added to addresses. */
function placesText(registry: Registry, name: string, constant: string, suffix: "n" | ""): string {
  const found = find(registry, name);
  if (!found) return "";
  const { struct, layout } = found;
  const members = struct.members.map((member, index) => `${member.name}: ${layout.places[index].offset}${suffix}`);
  return `/** Offsets of the members of ${name}. */\nexport const ${constant} = { ${members.join(", ")} } as const;\n`;
}

/** A constant with the size of a C struct in bytes. */
function sizeText(registry: Registry, name: string): string {
  const found = find(registry, name);
  return found ? `export const sizeOf${name} = ${found.layout.size};\n` : "";
}

function find({ types, layouts }: Registry, name: string): { struct: StructType; layout: Layout } | undefined {
  const struct = resolveType(types, name);
  if (struct?.kind !== "struct") return undefined;
  const layout = layouts.get(struct.name);
  return layout && { struct, layout };
}
