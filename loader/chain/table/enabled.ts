import { LASTING } from "../../../ffi/block.ts";
import { NameBlob, peek32 } from "../../../ffi/machine.ts";
import { codecBySType } from "../../codec/codec.ts";
import { EXPORTED_WITH_SURFACES, findExtension, isEnabled, OF_SURFACES } from "../../command/registry/extension.ts";
import { findCommand } from "../../command/registry/table.ts";
import { DEVICE_EXTENSION_SLOTS, INSTANCE_EXTENSION_SLOTS } from "../../gen/extensions_gen.ts";
import { VK_API_VERSION_MINOR } from "../../version.ts";
import { chain, nextOf, requestedExtensions } from "../../driver/structs/create_info.ts";
import { DEVICE_NAMES } from "../../gen/command_table_gen.js";
import type { DispatchTable, TablePart } from "./dispatch_table.ts";
import {
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES,
} from "../../gen/native_gen.ts";

/** Structs whose `maintenance5` limits an application to the commands of its own version. */
const MAINTENANCE_5: readonly number[] = [
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES,
];
/** The instance extension with commands on devices, queues and command buffers. */
export const DEBUG_UTILS = "VK_EXT_debug_utils";
const DEVICE_COMMANDS = DEVICE_NAMES.split(" ");
/** The slots of an extension's commands, by level and extension. */
const extensionSlots = new Map<string, readonly number[]>();
/** The commands of a level that are there without extensions under `""`, and those of its extensions. */
const parts = new Map<string, TablePart>();
const ranges = new Map<string, readonly SlotRange[]>();

/** Slots from the first to the last. */
interface SlotRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Fills a device's table with the commands that a Linux loader lets an application see, for a VkDeviceCreateInfo: those
 * of {@linkcode hideDisabled} are not asked for.
 */
export function fillEnabled(table: DispatchTable, getProcAddr: bigint, device: bigint, info: bigint): void {
  const extensions = requestedExtensions(info).filter((name) => slotsOf(name, "device").length > 0);
  table.fillParts(getProcAddr, device, ["", ...extensions].map(devicePart));
}

/** Returns the device commands of an extension; those without one for `""`. */
function devicePart(extension: string): TablePart {
  let part = parts.get(extension);
  if (!part) {
    const slots = extension === "" ? slotsWithout() : slotsOf(extension, "device");
    part = { names: new NameBlob(slots.map((slot) => DEVICE_COMMANDS[slot]), LASTING), runs: runsOf(slots) };
    parts.set(extension, part);
  }
  return part;
}

/** Returns the device slots that not only extensions fill: those between the ranges, which are in order. */
function slotsWithout(): number[] {
  const slots: number[] = [], end = { first: DEVICE_COMMANDS.length, last: DEVICE_COMMANDS.length };
  let slot = 0;
  for (const { first, last } of [...rangesOf("device"), end]) {
    while (slot < first) slots.push(slot++);
    slot = last + 1;
  }
  return slots;
}

function runsOf(slots: readonly number[]): TablePart["runs"] {
  const runs: { slot: number; at: number; count: number }[] = [];
  slots.forEach((slot, at) => {
    const last = runs.at(-1);
    if (last && last.slot + last.count === slot) last.count++;
    else runs.push({ slot, at, count: 1 });
  });
  return runs;
}

/**
 * Removes the commands of extensions that were not enabled from a filled table
 * of an instance. A driver may still return them, but a Linux loader does not.
 * Commands of devices stay; see {@linkcode hideExtension}.
 */
export function hideDisabled(table: DispatchTable, info: bigint): void {
  const names = requestedExtensions(info), slots = names.flatMap((name) => slotsOf(name, "instance"));
  const kept = slots.map((slot) => table.get(slot)), enabled = new Set(names);
  keepExported(table, enabled);
  for (const { first, last } of rangesOf("instance")) table.clear(first, last);
  slots.forEach((slot, index) => table.set(slot, kept[index]));
  hideOfSurfaces(table, enabled);
}

/** Keeps hidden commands for the exported functions. */
function keepExported(table: DispatchTable, enabled: ReadonlySet<string>): void {
  if (!enabled.has("VK_KHR_surface")) return;
  for (const name of EXPORTED_WITH_SURFACES) {
    const { slot } = findCommand(name)!;
    if (!isEnabled(name, enabled) && table.has(slot)) table.keepExported(slot);
  }
}

function hideOfSurfaces(table: DispatchTable, enabled: ReadonlySet<string>): void {
  for (const name of OF_SURFACES) {
    const { level, slot } = findCommand(name)!;
    if (level === table.level && !isEnabled(name, enabled)) table.clear(slot, slot);
  }
}

/** Removes the commands of an instance extension from a device's table, for an instance that did not enable it. */
export function hideExtension(table: DispatchTable, extension: string): void {
  for (const slot of slotsOf(extension, table.level)) table.set(slot, 0n);
}

/** Returns the slots of an extension's commands of a level; none if the registry does not have the extension. */
function slotsOf(extension: string, level: "instance" | "device"): readonly number[] {
  const key = `${level} ${extension}`, known = extensionSlots.get(key);
  if (known) return known;
  const commands = findExtension(extension)?.commands.map((name) => findCommand(name)!) ?? [];
  const slots = commands.filter((command) => command.level === level).map(({ slot }) => slot);
  if (findExtension(extension)) extensionSlots.set(key, slots);
  return slots;
}

/** Removes core commands newer than the application's version from a device's table, if the application asks for it. */
export function hideNewer(table: DispatchTable, info: bigint, apiVersion: number): void {
  if (!wantsOwnVersion(info)) return;
  for (let minor = VK_API_VERSION_MINOR(apiVersion) + 1;; minor++) {
    const version = findExtension(`VK_VERSION_1_${minor}`);
    if (!version) return;
    for (const { level, slot } of version.commands.map((name) => findCommand(name)!)) {
      if (level === "device") table.clear(slot, slot);
    }
  }
}

/** Whether a VkDeviceCreateInfo enables maintenance5, as an extension's feature or as 1.4's. */
function wantsOwnVersion(info: bigint): boolean {
  return [...chain(nextOf(info))].some(({ sType, address }) => {
    if (!MAINTENANCE_5.includes(sType)) return false;
    const { fields } = codecBySType(sType)!.layout;
    return peek32(address + BigInt(fields.find(({ name }) => name === "maintenance5")!.offset)) !== 0;
  });
}

/** The slots of a level that only extensions fill. */
function rangesOf(level: "instance" | "device"): readonly SlotRange[] {
  let found = ranges.get(level);
  if (!found) {
    const text = level === "instance" ? INSTANCE_EXTENSION_SLOTS : DEVICE_EXTENSION_SLOTS;
    found = text.trim().split(" ").map((range) => {
      const [first, last] = range.split("-").map(Number);
      return { first, last };
    });
    ranges.set(level, found);
  }
  return found;
}
