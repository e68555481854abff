import type { TypeLists } from "../../../loader/command/registry/signature.ts";
import { type Declaration, type Registry, resolveType, type Type } from "../registry/model.ts";

/** The lists of type names that the tables and their readers share. */
export interface TypeNames {
  /** 32-bit signed enums. */
  ENUMS: string[];
  /** 32-bit flags and their bits. */
  FLAGS: string[];
  /** 64-bit flags and their bits. */
  FLAGS64: string[];
  /** Handles. */
  HANDLES: string[];
  /** Function pointers. */
  POINTERS: string[];
}

/** Sorts the types of the registry into the lists of the struct table. */
export function typeNames(registry: Registry): TypeNames {
  const names = (test: (type: Type) => boolean) => [...registry.types.values()].filter(test).map((type) => type.name);
  return {
    ENUMS: names((type) => type.kind === "enum" && type.bits === 32 && !type.isBitmask),
    FLAGS: names((type) => (type.kind === "enum" && type.isBitmask || type.kind === "flags") && type.bits === 32),
    FLAGS64: names((type) => (type.kind === "enum" || type.kind === "flags") && type.bits === 64),
    HANDLES: names((type) => type.kind === "handle"),
    POINTERS: names((type) => type.kind === "funcpointer"),
  };
}

export type { TypeLists };

/** The same lists in the form that the tables' readers take. */
export function typeLists(registry: Registry): TypeLists {
  const entries = Object.entries(typeNames(registry)).map(([key, list]) => [key, ["", ...list, ""].join(" ")]);
  return Object.fromEntries(entries) as unknown as TypeLists;
}

/** Every enumerant and constant by name. */
export function valuesByName(registry: Registry): Map<string, number | bigint> {
  const values = new Map<string, number | bigint>();
  for (const type of registry.types.values()) {
    if (type.kind === "enum") { for (const { name, value } of type.values) values.set(name, value); }
  }
  for (const { name, value } of registry.constants.values()) values.set(name, value);
  return values;
}

/** Writes declarations in the grammar of the tables (see `loader/codec/layout/spec.ts`). */
export class SpecWriter {
  readonly #registry: Registry;
  readonly #values: Map<string, number | bigint>;

  /** A writer for the types and constants of `registry`. */
  constructor(registry: Registry) {
    this.#registry = registry;
    this.#values = valuesByName(registry);
  }

  /** `name:` stars `type` dims len bits selector selection, and `+` when `isRequired`. */
  write(declaration: Declaration, isRequired: boolean): string {
    const { name, stars, dims, bits, selector, selection } = declaration;
    const len = this.#len(declaration);
    const values = selection.map((each) => String(this.#value(each, name)));
    return [
      `${name}:${"*".repeat(stars)}${this.typeCode(declaration)}`,
      ...dims.map((extent) => `{${extent}}`),
      len && `[${len}]`,
      bits ? `/${bits}` : "",
      selector ? `@${selector}` : "",
      values.length > 0 ? `=${values.join("|")}` : "",
      isRequired ? "+" : "",
    ].join("");
  }

  /** The value of a constant or enumerant. Throws an `Error` when the registry does not have it. */
  valueOf(constant: string): number | bigint {
    return this.#value(constant, "the registry");
  }

  /** The scalar code or resolved type name of a declaration. */
  typeCode(declaration: Declaration): string {
    if (isText(declaration)) return "str";
    const type = resolveType(this.#registry.types, declaration.type);
    switch (type?.kind) {
      case "scalar":
        return type.code;
      case "pointer":
      case "funcpointer":
        return "p";
      case "incomplete":
        return "void";
      default:
        return type?.name ?? "void";
    }
  }

  #len(declaration: Declaration): string {
    return declaration.len.filter((each) => each !== "null-terminated").join(",")
      .replaceAll(" ", "").replace(/\bVK_\w+/g, (constant) => String(this.#value(constant, declaration.name)));
  }

  #value(constant: string, owner: string): number | bigint {
    const value = this.#values.get(constant);
    if (value !== undefined) return value;
    throw new Error(`Cannot resolve "${constant}" for ${owner}: found no such constant in the registry files`);
  }
}

/** Whether a declaration is an array of handles from a caller, none of which may be null. */
export function isFull(declaration: Declaration, registry: Registry): boolean {
  const { stars, isConst, len, noAutoValidity, optionalElements } = declaration;
  return stars === 1 && isConst && len.length > 0 && !noAutoValidity && !optionalElements &&
    resolveType(registry.types, declaration.type)?.kind === "handle";
}

/** Whether a declaration is text: a null-terminated pointer, an array of them, or a `char` array in place. */
export function isText(declaration: Declaration): boolean {
  const { type, len, dims, stars } = declaration;
  return type === "char" && (len.includes("null-terminated") || (dims.length > 0 && stars === 0));
}
