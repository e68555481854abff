import { WITH_FUNCTIONS } from "../lists.ts";
import { type Declaration, type Registry, resolveType, type StructType } from "../registry/model.ts";
import { header, nameList, textConstant } from "./header.ts";
import { isFull, SpecWriter, typeNames } from "./spec.ts";

/** Writes `structs_gen.js`: one line per struct, and the names of all other types by class. */
export function emitStructs(registry: Registry): string {
  const writer = new SpecWriter(registry);
  const names = typeNames(registry);
  const structs = [...registry.types.values()].filter((type) => type.kind === "struct");
  return [
    header(registry.version),
    textConstant(
      "STRUCTS",
      'One line per struct: `NAME TAG member ...`; TAG is its sType, "-" for none, "/" for a union. Members as in `loader/codec/layout/spec.ts`.',
      structs.map((struct) => line(struct, registry, writer)),
    ),
    nameList("ENUMS", "32-bit signed enums.", names.ENUMS),
    nameList("FLAGS", "32-bit flags and the enums of their bits.", names.FLAGS),
    nameList("FLAGS64", "64-bit flags and the enums of their bits.", names.FLAGS64),
    nameList("HANDLES", "Handles, dispatchable or not.", names.HANDLES),
    nameList("POINTERS", "Function pointers.", names.POINTERS),
  ].join("");
}

function line(struct: StructType, registry: Registry, writer: SpecWriter): string {
  const tag = struct.isUnion ? "/" : struct.sType ? String(writer.valueOf(struct.sType)) : "-";
  const members = struct.members.slice(struct.sType ? 2 : 0);
  const texts = members.map((each) => {
    const isAsked = isRequired(each, struct, registry) || countsAtLeastOne(each, struct, registry);
    return writer.write(each, isAsked) + (isOptionalHandle(each, registry) ? "?" : "") +
      (isFull(each, registry) ? "#" : "");
  });
  return [struct.name, tag, ...texts].join(" ");
}

/** Whether a member is a handle that may be VK_NULL_HANDLE: drivers do not always read the others. */
function isOptionalHandle(member: Declaration, registry: Registry): boolean {
  return member.optional && member.stars === 0 && resolveType(registry.types, member.type)?.kind === "handle";
}

/** Whether a member counts a required array that must have elements: the registry calls the count of any other optional. */
function countsAtLeastOne(member: Declaration, struct: StructType, registry: Registry): boolean {
  return struct.members.some((each) => isRequired(each, struct, registry) && countThatAsks(each, struct) === member);
}

/**
 * The member that says how many elements an array has, or how many bytes, if
 * there must be some. Of the video headers' counts no registry says so.
 */
export function countThatAsks({ len }: Declaration, struct: StructType): Declaration | undefined {
  if (struct.name.startsWith("StdVideo")) return undefined;
  const [, name] = /^(\w+)(?:\/\d+)?$/.exec(len[0] ?? "") ?? [];
  const count = struct.members.find((each) => each.name === name && each.stars === 0);
  return count?.optional ? undefined : count;
}

/** Whether a caller must give a member: a pointer or handle that may not be null, of a struct the caller fills. */
export function isRequired(member: Declaration, struct: StructType, registry: Registry): boolean {
  if (struct.returnedOnly || struct.isUnion || member.optional) return false;
  const kind = resolveType(registry.types, member.type)?.kind;
  const isFunction = kind === "funcpointer" && WITH_FUNCTIONS.has(struct.name);
  if (member.noAutoValidity && !isFunction) return false;
  if (member.name === "pNext" || member.dims.length > 0) return false;
  return member.stars > 0 || kind === "handle" || kind === "pointer" || kind === "funcpointer";
}
