import { POINTER_TYPES, SCALARS } from "../lists.ts";
import type { EnumType, StructType, Type } from "./model.ts";
import type { Need } from "./read_blocks.ts";
import { readDeclaration } from "./read_declaration.ts";
import { childText, type Element, elements, isForVulkan, list, textOf } from "./xml.ts";

/** The tables of the readers of single types. */
export interface TypeContext {
  /** Enums with all their values. */
  enums: ReadonlyMap<string, EnumType>;
  /** The block that needs each type. */
  needs: ReadonlyMap<string, Need>;
  /** The value of an array extent. */
  constant: (text: string) => number;
}

/** Reads every type of every file; a later definition of a name replaces an earlier one. */
export function readTypes(roots: readonly Element[], context: TypeContext): Map<string, Type> {
  const types = new Map<string, Type>();
  for (const element of roots.flatMap((root) => elements(root, "types")).flatMap((each) => elements(each, "type"))) {
    if (!isForVulkan(element)) continue;
    const type = readType(element, context);
    if (type) types.set(type.name, { ...type, ...context.needs.get(type.name) });
  }
  for (const name of POINTER_TYPES) types.set(name, { kind: "pointer", name, group: "platform" });
  return types;
}

function readType(element: Element, context: TypeContext): Type | undefined {
  const { name: given, alias, category } = element.attributes;
  const prototype = elements(element, "proto")[0] ?? element;
  const name = given ?? childText(prototype, "name");
  if (!name) return undefined;
  if (alias) return { kind: "alias", name, to: alias };
  switch (category) {
    case "handle":
      return { kind: "handle", name, isDispatchable: childText(element, "type") === "VK_DEFINE_HANDLE" };
    case "bitmask":
      return {
        kind: "flags",
        name,
        bits: childText(element, "type") === "VkFlags64" ? 64 : 32,
        of: element.attributes.requires ?? element.attributes.bitvalues,
      };
    case "enum":
      return context.enums.get(name) ??
        { kind: "enum", name, bits: /FlagBits2/.test(name) ? 64 : 32, isBitmask: /FlagBits/.test(name), values: [] };
    case "funcpointer":
      return { kind: "funcpointer", name };
    case "struct":
    case "union":
      return readStruct(element, name, context);
    case "basetype":
    case undefined:
      return readPlainType(element, name);
    default:
      return undefined;
  }
}

function readStruct(element: Element, name: string, context: TypeContext): StructType {
  const members = elements(element, "member").filter(isForVulkan)
    .map((member) => readDeclaration(member, context.constant));
  return {
    kind: "struct",
    name,
    isUnion: element.attributes.category === "union",
    members,
    sType: members.find((member) => member.name === "sType")?.value,
    extends: list(element, "structextends"),
    returnedOnly: element.attributes.returnedonly === "true",
  };
}

/** A typedef of a number, of a pointer, or a type known only by name. */
function readPlainType(element: Element, name: string): Type {
  const scalar = SCALARS.get(name) ?? SCALARS.get(childText(element, "type") ?? "");
  if (textOf(element).includes("*")) return { kind: "pointer", name };
  if (scalar) return { kind: "scalar", name, size: scalar[0], code: scalar[1] };
  return { kind: "incomplete", name };
}
