import { type Block, type Registry, resolveType, type StructType } from "../registry/model.ts";
import { valuesByName } from "./spec.ts";

/** The structs whose chains describe a physical device. */
const ASKED = ["VkPhysicalDeviceProperties2", "VkPhysicalDeviceFeatures2"];
/** Platforms whose extensions are asked for; the others' are of other operating systems. */
const PLATFORMS = new Set([undefined, "android"]);
const PREFIX = "VkPhysicalDevice";

/**
 * Says which structs an extension adds to what a physical device can be asked:
 * `sN` has the sType N, counted from the extension's first where it is below
 * 1000. Its name there is that of the tables with the extension's author at the
 * end; `sN=NAME` where it is not, `VkPhysicalDevice` left out.
 */
export function deviceStructs(registry: Registry): (block: Block) => string[] {
  const values = valuesByName(registry);
  return (block) => {
    if (block.kind === "version" || !PLATFORMS.has(block.platform)) return [];
    const author = block.name.split("_")[1];
    return [...new Set(block.types)].flatMap((name) => {
      const struct = resolveType(registry.types, name);
      if (struct?.kind !== "struct" || !isAsked(struct, registry)) return [];
      const sType = Number(values.get(struct.sType!)), offset = sType - 1_000_000_000 - 1000 * (block.number - 1);
      const number = offset >= 0 && offset < 1000 ? offset : sType;
      return name === nameBy(struct.name, author) ? `s${number}` : `s${number}=${name.slice(PREFIX.length)}`;
    });
  };
}

function isAsked(struct: StructType, { types }: Registry): boolean {
  return struct.extends.some((parent) => ASKED.includes(resolveType(types, parent)?.name ?? parent));
}

/** A struct's name as another author spells it. */
function nameBy(struct: string, author: string): string {
  return struct.replace(/[A-Z]{2,}$/, "") + author;
}
