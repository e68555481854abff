import { type Group, SPECIAL_CONSTANTS } from "../lists.ts";
import type { EnumType, EnumValue, Registry } from "../model.ts";
import { header } from "./header.ts";
import { homeOf, Imports, typesModule } from "./module.ts";

/** The enum that has a module of its own: its constants keep their literal types, for they tell structs apart. */
const STRUCTURE_TYPE = "VkStructureType";

/** Writes the constants module of one group. */
export function emitEnums(registry: Registry, group: Group): string {
  const imports = new Imports();
  const enums = [...registry.types.values()].filter((type): type is EnumType => type.kind === "enum")
    .filter(({ name }) => name !== STRUCTURE_TYPE && homeOf(registry, name) === group);
  for (const { name, values } of enums) if (values.length > 0) imports.add(typesModule(group), name);
  const body = enums.map((type) => statements(type.values, `: ${type.name}`)).join("");
  return `${header(registry.version)}${imports.print()}\n${constants(registry, group)}${body}`;
}

/** Writes the module of the structure types. */
export function emitStructureTypes(registry: Registry): string {
  const type = registry.types.get(STRUCTURE_TYPE) as EnumType;
  return `${header(registry.version)}\n${statements(type.values, "")}`;
}

/** API constants; without a type of their own they keep their literal types. */
function constants(registry: Registry, group: Group): string {
  const own = [...registry.constants.values()].filter((each) => (each.group ?? "core") === group)
    .filter(({ name }) => !SPECIAL_CONSTANTS.has(name))
    .map(({ name, value, experimental }) => ({ name, value, experimental: experimental === true }));
  const special = group === "core" ? [...SPECIAL_CONSTANTS].map(([name, value]) => `${name}=${value}`) : [];
  return `${exported(special)}${statements(own, "")}`;
}

/** Constants of one type in one statement: a third smaller than a statement each. Experimental ones say so. */
function statements(values: readonly Omit<EnumValue, "alias">[], annotation: string): string {
  const text = ({ name, value }: { name: string; value: number | bigint }) => `${name}${annotation}=${literal(value)}`;
  const stable = values.filter((each) => !each.experimental).map(text);
  const experimental = values.filter((each) => each.experimental).map(text);
  return exported(stable) + experimental.map((each) => `/** @experimental */\n${exported([each])}`).join("");
}

function exported(declarations: readonly string[]): string {
  if (declarations.length === 0) return "";
  return `export const${declarations.length === 1 ? " " : "\n"}${declarations.join(",\n")};\n`;
}

function literal(value: number | bigint): string {
  if (typeof value === "number") return String(value);
  return `${value > 0xffffn ? `0x${value.toString(16)}` : value}n`;
}
