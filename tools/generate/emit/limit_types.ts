import type { Registry, StructType } from "../registry/model.ts";
import { header, textConstant } from "./header.ts";

/** The struct that properties begin with, and the structs inside it. */
const ROOTS = ["VkPhysicalDeviceProperties", "VkPhysicalDeviceLimits", "VkPhysicalDeviceSparseProperties"];
/** Ways to compare that need no mention: the struct's members name theirs, or the values must be equal. */
const SILENT: ReadonlySet<string | undefined> = new Set([undefined, "struct", "noauto", "exact"]);

/** Writes `limit_types_gen.js`: how two values of a device's properties are compared. */
export function emitLimitTypes(registry: Registry): string {
  const structs = [...registry.types.values()].filter((type): type is StructType => type.kind === "struct");
  const lines = structs.filter(isOfProperties).map(line).filter((each) => each.includes(":"));
  return header(registry.version) + textConstant(
    "LIMIT_TYPES",
    "One line per struct of properties: ` NAME HOW:member,member ...`; HOW as the registry has it, such as max or min+pot. Members that are not named are to be equal.",
    lines,
  );
}

function isOfProperties({ name, extends: roots }: StructType): boolean {
  return ROOTS.includes(name) || roots.includes("VkPhysicalDeviceProperties2") ||
    name === "VkQueueFamilyProperties" || roots.includes("VkQueueFamilyProperties2");
}

function line({ name, members }: StructType): string {
  const kinds = new Map<string, string[]>();
  for (const { name, limit } of members) {
    if (SILENT.has(limit)) continue;
    const how = limit!.replaceAll(",", "+");
    kinds.set(how, [...kinds.get(how) ?? [], name]);
  }
  return ` ${[name, ...[...kinds].map(([how, names]) => `${how}:${names.join(",")}`)].join(" ")}`;
}
