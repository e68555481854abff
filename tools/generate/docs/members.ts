import { type Declaration, type Registry, resolveType, type StructType } from "../registry/model.ts";
import { countThatAsks, isRequired } from "../emit/structs.ts";
import { isFull } from "../emit/spec.ts";
import { comment, listed } from "./comment.ts";
import { unitOf } from "./units.ts";
import type { VulkanDocs } from "./vulkan.ts";

/** Documentation of a member of a struct: its C declaration, and what the registry says of its values. */
export function memberDoc(member: Declaration, struct: StructType, registry: Registry, docs: VulkanDocs): string {
  const counted = struct.members.filter(({ len }) => len.includes(member.name)).map(({ name }) => name);
  const unit = unitOf(member);
  return comment([
    `\`${member.text}\`${unit ? `, ${unit}` : ""}.`,
    counted.length > 0 && `How many elements ${listed(counted, 4)} ${counted.length === 1 ? "has" : "have"}.`,
    lengthOf(member),
    valuesOf(member, registry, docs),
    needOf(member, struct, registry, docs),
    member.selection.length > 0 &&
    `Read if the selector is ${member.selection.map((each) => `\`${each}\``).join(" or ")}.`,
    member.limit && LIMITS[member.limit],
    member.optional && counted.length === 0 && "Optional.",
    member.isUnused && "Nothing reads this member any more.",
  ]);
}

const NO_BITS = "No bits: 0.";

/** The comparison of two devices' values, by the registry's words for it. */
const LIMITS: Readonly<Record<string, string>> = {
  max: "Larger is better.",
  "max,pot": "A power of two; larger is better.",
  min: "Smaller is better.",
  "min,pot": "A power of two; smaller is better.",
  "min,mul": "A smaller divisor is better.",
  bits: "More bits are better.",
  range: "The smallest and the largest value.",
  bitmask: "More bits are better.",
};

/** Whether a caller must give the member, and what must not be in it. */
function needOf(
  member: Declaration,
  struct: StructType,
  registry: Registry,
  docs: VulkanDocs,
): string | undefined {
  if (struct.returnedOnly || struct.isUnion) return undefined;
  const { type, optional, noAutoValidity, stars } = member, kind = resolveType(registry.types, type)?.kind;
  if (kind === "flags" && stars === 0) {
    const isFree = optional || noAutoValidity || valuesOf(member, registry, docs) === NO_BITS;
    return isFree ? undefined : "At least one.";
  }
  if (!isRequired(member, struct, registry) || (member.len.length > 0 && !countThatAsks(member, struct))) {
    return isFull(member, registry) ? "None of the elements may be null." : undefined;
  }
  return isFull(member, registry) ? "Required, and none of the elements may be null." : "Required.";
}

/** The sentence about the number of elements behind a pointer; `undefined` for one element. */
function lengthOf({ len, stars }: Declaration): string | undefined {
  if (stars === 0 || len.length === 0) return undefined;
  if (len[0] === "null-terminated") return "Text.";
  if (len[0] === "1") return undefined;
  return `As many ${len[1] === "null-terminated" ? "texts" : "elements"} as \`${len[0]}\` says.`;
}

/** Returns the constants that a member takes. */
function valuesOf({ type }: Declaration, { types }: Registry, docs: VulkanDocs): string | undefined {
  const resolved = resolveType(types, type);
  if (resolved?.kind === "flags") {
    const bits = resolved.of === undefined ? undefined : resolveType(types, resolved.of)?.name;
    return bits && docs.constantsOf(bits) ? `Bits of {@linkcode ${bits}}.` : NO_BITS;
  }
  return resolved?.kind === "enum" ? `One of {@linkcode ${resolved.name}}.` : undefined;
}
