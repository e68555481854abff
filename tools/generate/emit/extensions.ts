import { CORE_VERSION_PARTS } from "../lists.ts";
import type { Block, Registry } from "../registry/model.ts";
import { assignSlots } from "./command_table.ts";
import { deviceStructs } from "./device_structs.ts";
import { header, textConstant } from "./header.ts";

/** Writes `extensions_gen.ts`: every core version and extension with the commands that it brings. */
export function emitExtensions(registry: Registry): string {
  const slots = assignSlots(registry);
  const structs = deviceStructs(registry);
  const lines = mergeVersions(registry.blocks).map((block) => [line(block, slots), ...structs(block)].join(" "));
  return header(registry.version) + textConstant(
    "EXTENSIONS",
    'One line per core version and extension: `NAME KIND NUMBER SPEC_VERSION PLATFORM PROMOTED_TO slot ...`; KIND is "v" for a core version, "i" or "d" for an instance or device extension; "-" stands for none. Slots as in `command_table_gen.js`, global commands by name. Then structs that physical devices are asked for, see `device_structs.ts`.',
    lines,
  ) + textConstant("INSTANCE_EXTENSION_SLOTS", extensionSlotsDoc("instance"), [rangesOf(lines, "i")]) +
    textConstant("DEVICE_EXTENSION_SLOTS", extensionSlotsDoc("device"), [rangesOf(lines, "d")]);
}

function extensionSlotsDoc(level: string): string {
  return `The slots of the ${level} level that only ${level} extensions fill, as ranges: \`FIRST-LAST ...\`.`;
}

/** The slots of a level that appear in lines of its own kind of extension and in no others. */
function rangesOf(lines: readonly string[], letter: string): string {
  const own = new Set<number>(), others = new Set<number>();
  for (const line of lines) {
    const [, kind, , , , , ...commands] = line.split(" ");
    for (const slot of commands.filter((each) => each.startsWith(letter)).map((each) => Number(each.slice(1)))) {
      (kind === letter ? own : others).add(slot);
    }
  }
  const slots = [...own].filter((slot) => !others.has(slot)).sort((a, b) => a - b);
  const firsts = slots.filter((slot) => !slots.includes(slot - 1)),
    lasts = slots.filter((slot) => !slots.includes(slot + 1));
  return firsts.map((first, index) => `${first}-${lasts[index]}`).join(" ");
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
