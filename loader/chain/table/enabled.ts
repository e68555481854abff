import { peek32 } from "../../../ffi/machine.ts";
import { codecBySType } from "../../codec/codec.ts";
import { EXPORTED_WITH_SURFACES, findExtension, isEnabled, OF_SURFACES } from "../../command/registry/extension.ts";
import { findCommand } from "../../command/registry/table.ts";
import { DEVICE_EXTENSION_SLOTS, INSTANCE_EXTENSION_SLOTS } from "../../gen/extensions_gen.ts";
import { VK_API_VERSION_MINOR } from "../../version.ts";
import { chain, nextOf, requestedExtensions } from "../../driver/structs/create_info.ts";
import type { DispatchTable } from "./dispatch_table.ts";
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
/** The slots of an extension's commands, by level and extension. */
const extensionSlots = new Map<string, readonly number[]>();
const ranges = new Map<string, readonly (readonly [first: number, last: number])[]>();

/**
 * Removes the commands of extensions that were not enabled from a filled table.
 * A driver may still return them, but a Linux loader does not. Commands of
 * extensions of the other level stay; see {@linkcode hideExtension}.
 */
export function hideDisabled(table: DispatchTable, info: bigint): void {
  const enabled = requestedExtensions(info), commands = enabled.flatMap((name) => findExtension(name)?.commands ?? []);
  const slots = commands.map((name) => findCommand(name)!).filter(({ level }) => level === table.level)
    .map(({ slot }) => slot);
  const kept = slots.map((slot) => table.get(slot));
  if (table.level === "instance") keepExported(table, new Set(enabled));
  for (const [first, last] of rangesOf(table.level)) table.clear(first, last);
  slots.forEach((slot, index) => table.set(slot, kept[index]));
  if (table.level === "instance") hideOfSurfaces(table, new Set(enabled));
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
  const key = `${table.level} ${extension}`;
  let slots = extensionSlots.get(key);
  if (!slots) {
    const commands = findExtension(extension)!.commands.map((name) => findCommand(name)!);
    slots = commands.filter(({ level }) => level === table.level).map(({ slot }) => slot);
    extensionSlots.set(key, slots);
  }
  for (const slot of slots) table.set(slot, 0n);
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
function rangesOf(level: "instance" | "device"): readonly (readonly [first: number, last: number])[] {
  let found = ranges.get(level);
  if (!found) {
    const text = level === "instance" ? INSTANCE_EXTENSION_SLOTS : DEVICE_EXTENSION_SLOTS;
    ranges.set(level, found = text.trim().split(" ").map((range) => range.split("-").map(Number) as [number, number]));
  }
  return found;
}
