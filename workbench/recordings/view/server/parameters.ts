import { kindOf, layoutOf } from "../../../../loader/codec/layout/layout.ts";
import { findCommand } from "../../../../loader/command/registry/table.ts";
import { ENUM_NAMES } from "../../../../loader/gen/enum_names_gen.js";
import { Names } from "../../../../loader/layers/shipped/trace/names.ts";

/** A parameter or a member with its value: a text, or what is inside. */
export interface Parameter {
  /** The name; the place of an item of a list. */
  readonly name: string;
  /** The C type as the registry spells it; `""` where the registry does not know. */
  readonly type: string;
  /** The value, with enumerants and flags by name. */
  readonly text?: string;
  /** The members of a struct, or the items of a list. */
  readonly inside?: readonly Parameter[];
}

/** The most items of a list, and digits of bytes, that are shown. */
const ITEMS = 256, DIGITS = 1024;
/** Structs of the facts about an object, and the types of what the state tracker adds. */
const FACTS = ["VkBufferCreateInfo", "VkImageCreateInfo", "VkSamplerCreateInfo", "VkImageSubresourceRange"];
const ADDED: Readonly<Record<string, string>> = {
  type: "VkDescriptorType",
  layout: "VkImageLayout",
  indexType: "VkIndexType",
  subresourceRange: "VkImageSubresourceRange",
};

/** Reads recorded arguments with the types of the registry. */
export class Parameters {
  readonly #names = new Names(ENUM_NAMES);

  /** Returns the arguments of a call. */
  ofCall(command: string, args: object): Parameter[] {
    const types = new Map(findCommand(command)?.params.map(({ name, type }) => [name, type]));
    return this.#members(args, (name) => types.get(name) ?? "");
  }

  /** Returns the members of a struct. */
  ofStruct(type: string, fields: object): Parameter[] {
    return this.#members(fields, typesOf(type));
  }

  /** Returns the facts that the state tracker has about an object, which come from several structs. */
  ofFacts(facts: object): Parameter[] {
    const lookUps = FACTS.map(typesOf);
    return this.#members(facts, (name) => ADDED[name] ?? lookUps.map((each) => each(name)).find(Boolean) ?? "");
  }

  /** Returns an enumerant or flags by name. */
  named(type: string, value: number | string): string {
    const isWhole = typeof value === "number" ? Number.isSafeInteger(value) : /^-?\d{1,20}$/.test(value);
    return isWhole ? this.#names.of(type, value) ?? `${value}` : `${value}`;
  }

  #members(fields: object, typeOf: (name: string) => string): Parameter[] {
    return Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => this.#parameter(name, typeOf(name), value));
  }

  #parameter(name: string, type: string, value: unknown): Parameter {
    if (Array.isArray(value)) return { name, type, inside: this.#items(type, value) };
    if (typeof value === "object" && value !== null) return this.#object(name, type, value);
    if (typeof value === "number" || typeof value === "string" && type !== "str") {
      return { name, type, text: this.named(type, value) };
    }
    return { name, type, text: `${value}` };
  }

  #items(type: string, items: readonly unknown[]): Parameter[] {
    const shown = items.slice(0, ITEMS).map((each, index) => this.#parameter(`${index}`, type, each));
    return items.length <= ITEMS ? shown : [...shown, { name: "…", type: "", text: `${items.length} in all` }];
  }

  #object(name: string, type: string, value: object): Parameter {
    const { bytes, data, foreign, sType } = value as Record<string, unknown>;
    if (typeof bytes === "string") {
      return { name, type, text: `${bytes.length / 2} bytes: ${shortened(bytes.replace(/(.{8})(?!$)/g, "$1 "))}` };
    }
    if (typeof data === "string") return { name, type, text: `bytes with the SHA-256 ${shortened(data)}` };
    if (typeof foreign === "string") return { name, type, text: `${foreign}, an address outside of the program` };
    const struct = typeof sType === "string" ? sType : type;
    return { name, type: struct, inside: this.ofStruct(struct, value) };
  }
}

function shortened(digits: string): string {
  return digits.length <= DIGITS ? digits : `${digits.slice(0, DIGITS)} …`;
}

/** Returns the types of a struct's members by name; a recording may name structs that the registry lacks. */
function typesOf(struct: string): (name: string) => string {
  if (!/^Vk\w+$/.test(struct) || kindOf(struct) !== "struct") return () => "";
  try {
    const { fields } = layoutOf(struct);
    return (name) => fields.find((field) => field.name === name)?.type ?? "";
  } catch {
    return () => "";
  }
}
