import { memberDoc } from "../docs/members.ts";
import { comment } from "../docs/comment.ts";
import type { VulkanDocs } from "../docs/vulkan.ts";
import { type Group, OBJECT_HANDLES } from "../lists.ts";
import {
  type AliasType,
  type Declaration,
  type EnumType,
  type FlagsType,
  type HandleType,
  type Registry,
  resolveType,
  type StructType,
  type Type,
} from "../registry/model.ts";
import { header } from "./header.ts";
import { homeOf, Imports, typesModule } from "./module.ts";
import { countThatAsks, isRequired } from "./structs.ts";
import { TypeWriter } from "./ts_type.ts";

/** Interfaces that a dispatchable handle has besides its commands. */
const EXTRAS: ReadonlyMap<string, string> = new Map([["VkInstance", "InstanceExtras"], ["VkDevice", "DeviceExtras"]]);
/** Plain typedefs that C programs use by name. */
const TYPEDEFS: readonly string[] = [
  "VkBool32",
  "VkDeviceAddress",
  "VkDeviceSize",
  "VkFlags",
  "VkFlags64",
  "VkSampleMask",
];

/** Writes the types module of one group. */
export function emitTypes(registry: Registry, group: Group, docs: VulkanDocs): string {
  const writer = new TypeEmitter(registry, docs);
  const body = [...registry.types.values()].filter((type) => homeOf(registry, type.name) === group)
    .map((type) => writer.emit(type)).join("");
  const typedefs = group === "core" ? writer.typedefs() : "";
  return `${header(registry.version)}${writer.imports.print(typesModule(group))}\n${typedefs}${body}`;
}

class TypeEmitter {
  readonly imports = new Imports();
  readonly #registry: Registry;
  readonly #docs: VulkanDocs;
  readonly #ts: TypeWriter;
  readonly #extenders: Map<string, string[]>;
  readonly #direct: Set<string>;

  constructor(registry: Registry, docs: VulkanDocs) {
    this.#registry = registry;
    this.#docs = docs;
    this.#ts = new TypeWriter(registry, this.imports);
    this.#extenders = extendersOf(registry);
    this.#direct = directStructs(registry);
  }

  typedefs(): string {
    return TYPEDEFS.map((name) =>
      `${comment([`The C type \`${name}\`.`])}export type ${name} = ${this.#ts.value(name)};\n`
    ).join("");
  }

  emit(type: Type): string {
    switch (type.kind) {
      case "enum":
        return this.#docs.enumType(type) + this.#enum(type);
      case "flags":
        return this.#docs.flagsType(type) + this.#flags(type);
      case "handle":
        return this.#docs.handle(type) + this.#handle(type);
      case "alias":
        return this.#docs.alias(type) + this.#alias(type);
      case "struct":
        return this.#struct(type);
      default:
        return "";
    }
  }

  #enum({ name, bits }: EnumType): string {
    if (name === "VkStructureType") return `export type ${name} = number;\n`;
    return `export type ${name} = ${this.#ts.base("Enum")}<"${name}"${bits === 64 ? ", bigint" : ""}>;\n`;
  }

  #flags({ name, bits, of }: FlagsType): string {
    const isKnown = of !== undefined && resolveType(this.#registry.types, of)?.kind === "enum";
    return `export type ${name} = ${isKnown ? this.#ts.named(of) : bits === 64 ? "bigint" : "number"};\n`;
  }

  #handle({ name }: HandleType): string {
    if (!OBJECT_HANDLES.includes(name)) return `export type ${name} = ${this.#ts.base("Handle")}<"${name}">;\n`;
    const parents = [`${name}Commands`, this.#ts.base("Dispatchable")];
    const extras = EXTRAS.get(name);
    if (extras) parents.push(this.#ts.base(extras));
    this.imports.add("./commands_gen.ts", parents[0]);
    return `export interface ${name} extends ${parents.join(", ")} {}\n`;
  }

  #alias({ name, to }: AliasType): string {
    const target = resolveType(this.#registry.types, to)!;
    return `export type ${name} = ${this.#ts.named(target.name)};\n`;
  }

  #struct(struct: StructType): string {
    const extenders = this.#extenders.get(struct.name) ?? [];
    const members = struct.members.slice(struct.sType ? 2 : 0).map((member) => this.#member(member, struct));
    return [
      extenders.length > 0 &&
      `${this.#docs.chain(struct.name)}export type ${struct.name}Next =\n${
        extenders.map((each) => `| ${this.#inChain(each)}\n`).join("")
      };\n`,
      this.#docs.struct(struct),
      `export interface ${struct.name}${this.#parent(struct, extenders.length > 0)} {\n${members.join("")}}\n`,
    ].filter(Boolean).join("");
  }

  /**
   * The type of a struct in a chain, which must name its `sType`; a struct that
   * is also passed directly may leave the `sType` out there.
   */
  #inChain(name: string): string {
    const type = this.#ts.named(name);
    return this.#direct.has(name) ? `${this.#ts.base("Chained")}<${type}>` : type;
  }

  /** The interface that declares `sType` and `pNext`. */
  #parent(struct: StructType, isExtended: boolean): string {
    if (struct.isUnion) return ` extends ${this.#ts.base("Union")}`;
    if (!struct.sType) return "";
    const parent = this.#ts.base(struct.extends.length > 0 && !this.#direct.has(struct.name) ? "Extender" : "Struct");
    this.imports.add("./structure_types_gen.ts", "StructureType");
    return ` extends ${parent}<StructureType.${struct.name}${isExtended ? `, ${struct.name}Next` : ""}>`;
  }

  #member(member: Declaration, struct: StructType): string {
    const isPresent = struct.returnedOnly && !struct.isUnion && member.stars === 0;
    const isAsked = isRequired(member, struct, this.#registry) &&
      (member.len.every((each) => each === "null-terminated") || countThatAsks(member, struct) !== undefined);
    const type = this.#ts.input(member);
    const doc = memberDoc(member, struct, this.#registry, this.#docs);
    return `${doc}${member.name}${isPresent || isAsked ? "" : "?"}: ${type}${
      this.#isNullable(member, isAsked) ? " | null" : ""
    };\n`;
  }

  #isNullable(member: Declaration, isAsked: boolean): boolean {
    if (isAsked || member.dims.length > 0) return false;
    return member.stars > 0 || resolveType(this.#registry.types, member.type)?.kind === "handle" && member.optional;
  }
}

/** The structs that may stand in the `pNext` chain of each struct. */
function extendersOf(registry: Registry): Map<string, string[]> {
  const extenders = new Map<string, Set<string>>();
  for (const type of registry.types.values()) {
    if (type.kind !== "struct") continue;
    for (const name of type.extends) {
      const target = resolveType(registry.types, name)?.name;
      if (!target) continue;
      if (!extenders.has(target)) extenders.set(target, new Set());
      extenders.get(target)!.add(type.name);
    }
  }
  return new Map([...extenders].map(([name, set]) => [name, [...set]]));
}

/** The structs that a command or another struct asks for by type, outside of any chain. */
function directStructs(registry: Registry): Set<string> {
  const declarations = [
    ...[...registry.types.values()].flatMap((type) => type.kind === "struct" ? type.members : []),
    ...[...registry.commands.values()].flatMap((command) => command.parameters),
  ];
  return new Set(declarations.map(({ type }) => resolveType(registry.types, type)?.name ?? type));
}
