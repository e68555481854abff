import { type Declaration, type Registry, resolveType, type StructType } from "../registry/model.ts";
import { comment, listed } from "./comment.ts";
import type { VulkanDocs } from "./vulkan.ts";

/** Documentation of a member of a struct: its C declaration, and what the registry says of its values. */
export function memberDoc(member: Declaration, struct: StructType, registry: Registry, docs: VulkanDocs): string {
  const counted = struct.members.filter(({ len }) => len.includes(member.name)).map(({ name }) => name);
  return comment([
    `\`${member.text}\`.`,
    counted.length > 0 && `How many elements ${listed(counted, 4)} ${counted.length === 1 ? "has" : "have"}.`,
    lengthOf(member),
    valuesOf(member, registry, docs),
    member.selection.length > 0 &&
    `Read if the selector is ${member.selection.map((each) => `\`${each}\``).join(" or ")}.`,
    member.optional && counted.length === 0 && "Optional.",
    member.isUnused && "Nothing reads this member any more.",
  ]);
}

/** How many elements a pointer leads to. */
function lengthOf({ len, stars }: Declaration): string | undefined {
  if (stars === 0 || len.length === 0) return undefined;
  if (len[0] === "null-terminated") return "Text.";
  if (len[0] === "1") return undefined;
  return `As many ${len[1] === "null-terminated" ? "texts" : "elements"} as \`${len[0]}\` says.`;
}

/** Which constants a member takes. */
function valuesOf({ type }: Declaration, { types }: Registry, docs: VulkanDocs): string | undefined {
  const resolved = resolveType(types, type);
  if (resolved?.kind === "flags") {
    const bits = resolved.of === undefined ? undefined : resolveType(types, resolved.of)?.name;
    return bits && docs.constantsOf(bits) ? `Bits of {@linkcode ${bits}}.` : "No bits: 0.";
  }
  return resolved?.kind === "enum" ? `One of {@linkcode ${resolved.name}}.` : undefined;
}
