import { CORE_VERSION_PARTS } from "../lists.ts";
import type { Block, Registry } from "../model.ts";
import { assignSlots } from "./command_table.ts";
import { header, textConstant } from "./header.ts";

/** Writes `extensions_gen.ts`: every core version and extension with the commands that it brings. */
export function emitExtensions(registry: Registry): string {
  const slots = assignSlots(registry);
  const lines = mergeVersions(registry.blocks).map((block) => line(block, slots));
  return header(registry.version) + textConstant(
    "EXTENSIONS",
    'One line per core version and extension: `NAME KIND NUMBER SPEC_VERSION PLATFORM PROMOTED_TO slot ...`; KIND is "v" for a core version, "i" or "d" for an instance or device extension; "-" stands for none. Slots as in `command_table_gen.js`, global commands by name.',
    lines,
  );
}

function line(block: Block, slots: ReadonlyMap<string, string>): string {
  const commands = [...new Set(block.commands)].filter((name) => slots.has(name))
    .map((name) => slots.get(name) === "g" ? name : slots.get(name)!);
  const { name, kind, number, specVersion, platform, promotedTo } = block;
  return [name, kind[0], number, specVersion, platform ?? "-", promotedTo ?? "-", ...commands].join(" ");
}

/** The parts that newer registries cut a core version into are one version again. */
function mergeVersions(blocks: readonly Block[]): Block[] {
  const merged = new Map<string, Block>();
  for (const block of blocks) {
    const name = block.kind === "version" ? block.name.replace(CORE_VERSION_PARTS, "VK_VERSION_") : block.name;
    const known = merged.get(name);
    if (known) known.commands.push(...block.commands);
    else if (name.startsWith("VK_")) merged.set(name, { ...block, name, commands: [...block.commands] });
  }
  return [...merged.values()];
}
