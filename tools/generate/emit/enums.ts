import { comment } from "../docs/comment.ts";
import type { VulkanDocs } from "../docs/vulkan.ts";
import { type Group, SPECIAL_CONSTANTS } from "../lists.ts";
import type { EnumType, EnumValue, Registry } from "../registry/model.ts";
import { header } from "./header.ts";
import { homeOf, Imports, typesModule } from "./module.ts";

/** The enum that has a module of its own: its constants keep their literal types, for they tell structs apart. */
const STRUCTURE_TYPE = "VkStructureType";

/** A constant: what is run, and what is declared of it. */
export interface Declared {
  /** The C name. */
  readonly name: string;
  /** The value as JavaScript. */
  readonly value: string;
  /** The type; that of the value if it is `undefined`. */
  readonly type?: string;
  /** The comment. */
  readonly doc: string;
}

/** Writes the constants of one group: the module that is run, and its declarations. */
export function emitEnums(registry: Registry, group: Group, docs: VulkanDocs): [string, string][] {
  const imports = new Imports();
  const enums = [...registry.types.values()].filter((type): type is EnumType => type.kind === "enum")
    .filter(({ name }) => name !== STRUCTURE_TYPE && homeOf(registry, name) === group);
  for (const { name, values } of enums) if (values.length > 0) imports.add(typesModule(group), name);
  const all = [...constants(registry, group, docs), ...enums.flatMap((type) => valuesOf(type, docs))];
  return constantModules(`enums_${group}_gen`, header(registry.version), imports.print(), all);
}

/** Writes the structure types, likewise. */
export function emitStructureTypes(registry: Registry, docs: VulkanDocs): [string, string][] {
  const { values } = registry.types.get(STRUCTURE_TYPE) as EnumType;
  const structs = new Map(
    [...registry.types.values()].flatMap((type) =>
      type.kind === "struct" && type.sType ? [[type.sType, type.name]] : []
    ),
  );
  const all = values.map((each) => ({
    name: each.name,
    value: literal(each.value),
    doc: docs.structureType(each, structs.get(each.name)),
  }));
  return constantModules("enums_stype_gen", header(registry.version), "", all);
}

/**
 * The files of a module of constants by their names. What is run is JavaScript
 * without comments, for it is read at every start of a program.
 */
export function constantModules(
  name: string,
  firstLine: string,
  imports: string,
  constants: readonly Declared[],
): [string, string][] {
  const run = constants.map((each) => `${each.name}=${each.value}`);
  const declared = constants.map((each) => `${each.doc}export const ${each.name}${typed(each)};\n`);
  return [
    [
      `${name}.js`,
      `${firstLine}// @ts-self-types="./${name}.d.ts"\n${run.length > 0 ? `export const\n${run.join(",\n")};\n` : ""}`,
    ],
    [`${name}.d.ts`, `${firstLine}${imports}${declared.join("")}`],
  ];
}

/** The declared value keeps its literal type, but a variable that is set to the constant can hold other values. */
function typed({ value, type }: Declared): string {
  if (type !== undefined || value === "null") return `: ${type ?? value}`;
  if (value.startsWith("-")) return ": number"; // the linter of documentation sees no literal in it
  return `=${value}`;
}

/** API constants; without a type of their own they keep their literal types. */
function constants(registry: Registry, group: Group, docs: VulkanDocs): Declared[] {
  const own = [...registry.constants.values()].filter((each) => (each.group ?? "core") === group)
    .filter(({ name }) => !SPECIAL_CONSTANTS.has(name))
    .map((each) => ({ name: each.name, value: literal(each.value), doc: docs.constant(each) }));
  const special = [...SPECIAL_CONSTANTS].map(([name, value]) => ({
    name,
    value,
    doc: comment([`\`${name}\` of C as the JavaScript value \`${value}\`.`]),
  }));
  return [...group === "core" ? special : [], ...own];
}

function valuesOf(type: EnumType, docs: VulkanDocs): Declared[] {
  return type.values.map((each: EnumValue) => ({
    name: each.name,
    value: literal(each.value),
    type: type.name,
    doc: docs.value(type, each),
  }));
}

/** Returns a value as it is written in TypeScript. */
export function literal(value: number | bigint): string {
  if (typeof value === "number") return String(value);
  return `${value > 0xffffn ? `0x${value.toString(16)}` : value}n`;
}
