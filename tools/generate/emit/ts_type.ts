import { OBJECT_HANDLES } from "../lists.ts";
import { type Declaration, type Registry, resolveType } from "../registry/model.ts";
import { homeOf, type Imports, typesModule } from "./module.ts";
import { isText } from "./spec.ts";

const BASE = "../base.ts";

/** Writes C types as TypeScript types and notes what has to be imported for them. */
export class TypeWriter {
  /** The registry for looking types up. */
  readonly registry: Registry;
  /** Collects imports. */
  readonly imports: Imports;

  /** A writer that notes its imports in `imports`. */
  constructor(registry: Registry, imports: Imports) {
    this.registry = registry;
    this.imports = imports;
  }

  /** A type of `loader/base.ts`. */
  base(name: string): string {
    this.imports.add(BASE, name);
    return name;
  }

  /** A named type of a types module. */
  named(name: string): string {
    this.imports.add(typesModule(homeOf(this.registry, name)!), name);
    return name;
  }

  /** One value of a C type; an object that commands are called on is itself. */
  value(name: string): string {
    const type = resolveType(this.registry.types, name);
    if (type?.kind === "scalar") {
      return type.code === "bool" ? "boolean" : type.code === "u64" || type.code === "i64" ? "bigint" : "number";
    }
    return type && homeOf(this.registry, type.name) ? this.named(type.name) : "bigint";
  }

  /** A struct member or an input of a command. */
  input(declaration: Declaration): string {
    const { type, stars, dims } = declaration;
    if (isText(declaration)) return stars === 2 ? "readonly string[]" : "string";
    if (stars === 0) return dims.length === 0 ? this.#element(type) : this.#inline(declaration);
    if (stars === 2) return this.#pointerArray(declaration);
    return this.#pointer(declaration);
  }

  /** Like {@linkcode value}, but an object may also be given as its bare handle. */
  #element(name: string): string {
    const value = this.value(name);
    return this.isObject(name) ? `${value} | bigint` : value;
  }

  /** Whether values of a type are objects with commands. */
  isObject(name: string): boolean {
    return OBJECT_HANDLES.includes(name);
  }

  /** Whether a type is a struct or union. */
  isStruct(name: string): boolean {
    return resolveType(this.registry.types, name)?.kind === "struct";
  }

  #inline({ type, dims }: Declaration): string {
    const isByte = this.#code(type) === "u8" || this.#code(type) === "i8";
    const rows = dims.slice(isByte || this.value(type) === "number" ? 1 : 0);
    const innermost = rows.length < dims.length ? "ArrayLike<number>" : this.#element(type);
    return rows.reduce((item) => listOf(item), innermost);
  }

  #pointer(declaration: Declaration): string {
    const { type } = declaration;
    const hasLength = declaration.len.some((each) => each !== "1");
    const kind = resolveType(this.registry.types, type)?.kind;
    if (kind === "incomplete" || kind === undefined) return hasLength ? this.base("Bytes") : "bigint";
    if (this.#code(type) === "u8" && hasLength) return this.base("Bytes");
    const element = this.#element(type);
    if (!hasLength) return element;
    return this.#isNumeric(type) ? `ArrayLike<${element}>` : listOf(element);
  }

  #pointerArray(declaration: Declaration): string {
    const { type, len } = declaration;
    const kind = resolveType(this.registry.types, type)?.kind;
    if (len.length === 0) return "bigint";
    if (kind === "incomplete" || kind === undefined) return "readonly bigint[]";
    const element = this.#element(type);
    if (len.length > 1) return listOf(element);
    return listOf(this.#isNumeric(type) ? `ArrayLike<${element}>` : listOf(element));
  }

  #isNumeric(name: string): boolean {
    const type = resolveType(this.registry.types, name);
    return type?.kind === "enum" || type?.kind === "flags" || (type?.kind === "scalar" && type.code !== "bool");
  }

  #code(name: string): string {
    const type = resolveType(this.registry.types, name);
    return type?.kind === "scalar" ? type.code : "";
  }
}

/** A read-only array type. */
export function listOf(item: string): string {
  return `readonly ${item.includes(" ") ? `(${item})` : item}[]`;
}
