import { CORE_VERSION_PARTS } from "../lists.ts";
import {
  type AliasType,
  type Command,
  type Constant,
  type EnumType,
  type EnumValue,
  type FlagsType,
  type HandleType,
  type Registry,
  resolveType,
  type StructType,
} from "../registry/model.ts";
import { resolveCommand } from "../registry/read_commands.ts";
import { comment, commonPrefix, joined, listed, type Part, specification, usedBy } from "./comment.ts";
import { unitsOf } from "./units.ts";
import { type Uses, usesOf } from "./uses.ts";

const PAGES = "https://docs.vulkan.org/refpages/latest/refpages/source";

/** The most places that the documentation of a constant names, and that of a type. */
const FEW = 2, MANY = 5;

/** Writes what the registry tells of types, constants and commands as JSDoc. */
export class VulkanDocs {
  readonly #registry: Registry;
  readonly #uses: Uses;

  /** Documentation of everything in `registry`. */
  constructor(registry: Registry) {
    this.#registry = registry;
    this.#uses = usesOf(registry);
  }

  /** The comment of a value or bit of an enum. */
  value(type: EnumType, value: EnumValue): string {
    if (value.alias) {
      return comment([`Alias of {@linkcode ${value.alias}}.`, this.#since(value.name)], aliasTags(value));
    }
    const codes = type.name === "VkResult" ? this.#uses.codes.get(value.name) ?? [] : undefined;
    return comment([
      `${kindOfValue(type, value.value)} of {@linkcode ${type.name}}.`,
      codes ? codes.length > 0 && `Returned by ${listed(codes, FEW)}.` : usedBy(this.#places(type.name), FEW),
      this.#since(value.name) ?? this.#since(type.name),
      this.#page(type.name),
    ], experimental(value.experimental));
  }

  /** The comment of a structure type; `struct` is the struct of that type. */
  structureType(value: EnumValue, struct: string | undefined): string {
    if (value.alias) {
      return comment([`Alias of {@linkcode ${value.alias}}.`, this.#since(value.name)], aliasTags(value));
    }
    const what = struct ? `The \`sType\` of \`${struct}\`.` : "A structure type of the loader or of drivers.";
    const since = this.#since(value.name) ?? (struct ? this.#since(struct) : undefined);
    return comment([what, since, struct ? this.#page(struct) : undefined], experimental(value.experimental));
  }

  /** The comment of a constant outside enums. */
  constant({ name, value, experimental: isExperimental }: Pick<Constant, "name" | "value" | "experimental">): string {
    const lengthOf = [...this.#registry.types.values()].flatMap((type) =>
      type.kind === "struct"
        ? type.members.filter(({ text }) => text.includes(`[${name}]`)).map((each) => `${type.name}.${each.name}`)
        : []
    );
    return comment([
      name.startsWith("VK_API_VERSION_") || name.startsWith("VK_HEADER_")
        ? "A version, packed into one number."
        : `The constant ${value}.`,
      lengthOf.length > 0 && `Length of ${listed(lengthOf, FEW)}.`,
      this.#since(name),
      name.includes("VERSION") ? undefined : this.#page(name),
    ], experimental(isExperimental));
  }

  /** The comment of the type of an enum. */
  enumType(type: EnumType): string {
    return comment([
      `${type.isBitmask ? "Bits" : "An enum"} of ${type.bits} bits${this.constantsOf(type.name)}.`,
      usedBy(this.#places(type.name), MANY),
      this.#since(type.name),
      this.#page(type.name),
    ], experimental(type.experimental));
  }

  /** The comment of a flags type. */
  flagsType({ name, of, bits, experimental: isExperimental }: FlagsType): string {
    const target = of === undefined ? undefined : resolveType(this.#registry.types, of)?.name;
    const hasBits = target !== undefined && this.constantsOf(target) !== "";
    return comment([
      hasBits
        ? `Any number of {@linkcode ${target}} joined by \`|\`; ${bits === 64 ? "0n" : "0"} for none.`
        : "Flags without bits; 0.",
      usedBy(this.#places(target ?? name), MANY),
      this.#since(name),
      this.#page(name),
    ], experimental(isExperimental));
  }

  /** The comment of a handle type. */
  handle({ name, isDispatchable, experimental: isExperimental }: HandleType): string {
    const makers = this.#uses.makers.get(name) ?? [];
    const enders = this.#uses.enders.get(name) ?? [];
    return comment([
      isDispatchable ? "A dispatchable handle." : "A handle.",
      makers.length > 0 && `Handed out by ${listed(makers, MANY)}.`,
      enders.length > 0 && `Ended by ${listed(enders, MANY)}.`,
      this.#since(name),
      this.#page(name),
    ], experimental(isExperimental));
  }

  /** The comment of another name of a type. */
  alias({ name, to }: AliasType): string {
    return comment([`Alias of {@linkcode ${resolveType(this.#registry.types, to)!.name}}.`, this.#since(name)]);
  }

  /** The comment of a struct or union. */
  struct(struct: StructType): string {
    const { name, isUnion, returnedOnly, sType } = struct;
    return comment([
      isUnion ? "A union: exactly one member." : returnedOnly && "A struct that the driver fills.",
      struct.extends.length > 0 && `Extends ${listed(struct.extends, MANY)}.`,
      usedBy(this.#places(name), MANY),
      sType && `\`sType\`: \`${sType}\`.`,
      this.#since(name),
      this.#superseded(name),
      this.#page(name),
    ], experimental(struct.experimental));
  }

  /** The comment of the type of what may stand in the chain of a struct. */
  chain(name: string): string {
    return comment([`The structs that may stand in the \`pNext\` chain of {@linkcode ${name}}.`]);
  }

  /** The comment of a command as a method of the object that it is called on. */
  command(command: Command): string {
    const { successCodes, errorCodes, name } = resolveCommand(this.#registry.commands, command);
    if (command.alias) return comment([`Alias of \`${name}\`.`, this.#since(command.name), this.#page(name)]);
    const codes = successCodes.filter((code) => code !== "VK_SUCCESS");
    return comment([
      `\`${prototype(command)}\`.`,
      unitsOf(command.parameters),
      codes.length > 0 && `Success codes beside \`VK_SUCCESS\`: ${listed(codes, 9)}.`,
      recording(resolveCommand(this.#registry.commands, command)),
      this.#exclusive(command),
      errorCodes.length > 0 && `Throws a \`VulkanError\` with ${listed(errorCodes, 20)}.`,
      this.#since(name),
      this.#superseded(name),
      this.#page(name),
    ], experimental(command.experimental));
  }

  /** Names the arguments that belong to the calling thread alone. */
  #exclusive({ parameters, side }: Command): string | undefined {
    const isSaid = (name: string) => side !== undefined && name === "commandBuffer"; // with where it is recorded
    const names = parameters.filter(({ name, isExclusive }) => isExclusive && !isSaid(name)).map(({ name }) => name);
    return names.length === 0 ? undefined : `During the call, no other thread may use ${listed(names, 4)}.`;
  }

  /** The comment of a command with its C parameters. */
  rawCommand(command: Command): string {
    const target = resolveCommand(this.#registry.commands, command);
    return comment([command.alias ? `Alias of \`${target.name}\`.` : `\`${prototype(command)}\`.`]);
  }

  /** Names the constants of an enum, by what their names begin with: ` with the constants VK_X_…`; `""` without any. */
  constantsOf(name: string): string {
    const type = resolveType(this.#registry.types, name);
    if (type?.kind !== "enum" || type.values.length === 0) return "";
    const names = type.values.filter(({ alias }) => !alias).map((each) => each.name);
    const [only] = names, prefix = commonPrefix(names);
    return names.length === 1 ? `; its constant is \`${only}\`` : `; its constants begin with \`${prefix}\``;
  }

  #places(type: string): readonly string[] {
    return this.#uses.types.get(type) ?? [];
  }

  /** The version or extension that brings a name; `undefined` where the registry does not say. */
  #since(name: string): string | undefined {
    const source = this.#registry.sources.get(name)?.[0];
    if (source === undefined) return undefined;
    const parts = internalTo(source);
    return parts ? `Part of ${parts}.` : `Since ${sourceText(source)}.`;
  }

  /** The specification's page of a name. Structs of video codecs have none, nor has what loaders and drivers agree on. */
  #page(name: string): string | undefined {
    const source = this.#registry.sources.get(name)?.[0] ?? "";
    if (/^(Std|STD_)/.test(name) || internalTo(source)) return undefined;
    return specification(`${PAGES}/${name}.html`);
  }

  #superseded(name: string): string | undefined {
    const found = this.#registry.superseded.get(name);
    if (!found) return undefined;
    return found.by
      ? `Superseded by \`${found.by}\` (${sourceText(found.since)}).`
      : `Of no use since ${sourceText(found.since)}.`;
  }
}

/** The sentence about where a command is recorded, and for which queues; `undefined` for one that is not recorded. */
function recording({ side, queues, levels }: Command): string | undefined {
  if (side === undefined) return undefined;
  const kinds = queues.map((bit) => bit.replace(/^VK_QUEUE_|_BIT.*$/g, "").toLowerCase().replaceAll("_", " "));
  const where = [side !== "both" && `${side} render passes`, levels.length === 1 && `in ${levels[0]} command buffers`];
  const rules = [...where.filter(Boolean), `for ${joined(kinds, "or")} queues`, "by one thread at a time"];
  return `Recorded ${rules.join(", ")}.`;
}

/**
 * Returns the interface that the specification leaves to loaders, layers and drivers; `undefined` if a source is in the
 * specification.
 */
function internalTo(source: string): string | undefined {
  if (source.startsWith("PUMICE")) return "the interface of loader and layers"; // from overlay.xml
  return source === "VK_ANDROID_native_buffer" ? "Android's interface of loader and drivers" : undefined;
}

/** A version or extension in words. */
function sourceText(source: string): string {
  const version = /^VK_VERSION_(\d+)_(\d+)$/.exec(source.replace(CORE_VERSION_PARTS, "VK_VERSION_"));
  return version ? `Vulkan ${version[1]}.${version[2]}` : `\`${source}\``;
}

function prototype({ result, name, parameters }: Command): string {
  return `${result} ${name}(${parameters.map(({ text }) => text).join(", ")})`;
}

/** Returns the kind of a value in its enum: a bit, bits, or a number. */
function kindOfValue({ isBitmask, name }: EnumType, value: number | bigint): string {
  if (name === "VkResult") return `${value < 0 ? "Error" : "Success"} code ${value}`;
  const bits = BigInt(value).toString(2);
  if (!isBitmask || value <= 0) return `Value ${value}`;
  return bits.lastIndexOf("1") === 0
    ? `Bit ${bits.length - 1} (0x${value.toString(16)})`
    : `Bits 0x${value.toString(16)}`;
}

function aliasTags({ alias, isDeprecated, experimental: isExperimental }: EnumValue): Part[] {
  return [isDeprecated && `deprecated Use \`${alias}\`.`, ...experimental(isExperimental)];
}

function experimental(isExperimental: boolean | undefined): Part[] {
  return [isExperimental && "experimental"];
}
