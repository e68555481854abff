import { peek32 } from "../../ffi/machine.ts";
import { codecBySType } from "../codec/codec.ts";
import { EXTENSIONS } from "../gen/extensions_gen.ts";
import { VK_API_VERSION_MINOR } from "../version.ts";
import { chain, nextOf, requestedExtensions } from "./create_info.ts";
import type { DispatchTable } from "./dispatch_table.ts";

/** The slots of a level that only extensions fill, each with those that do; and those of each minor core version. */
interface Slots {
  readonly extended: ReadonlyMap<number, readonly string[]>;
  readonly core: readonly (readonly number[])[];
}

/** Features by which an application wants to see its own version's commands alone. */
const MAINTENANCE_5: readonly number[] = [1000470000, 55];
const sorted = new Map<string, Slots>();

/**
 * Takes out of a filled table the commands of extensions that were not enabled:
 * a driver may answer for them all the same, a Linux loader does not. Commands
 * that extensions of the other level bring are left to the driver.
 */
export function hideDisabled(table: DispatchTable, info: bigint): void {
  const enabled = new Set(requestedExtensions(info));
  for (const [slot, extensions] of slotsOf(table.level).extended) {
    if (!extensions.some((name) => enabled.has(name))) table.set(slot, 0n);
  }
}

/** Takes core commands that are newer than the application's version out of a device's table, if it wants that. */
export function hideNewer(table: DispatchTable, info: bigint, apiVersion: number): void {
  if (!wantsOwnVersion(info)) return;
  const newer = slotsOf("device").core.slice(VK_API_VERSION_MINOR(apiVersion) + 1);
  for (const slot of newer.flat()) table.set(slot, 0n);
}

/** Whether a VkDeviceCreateInfo enables maintenance5, as an extension's feature or as 1.4's. */
function wantsOwnVersion(info: bigint): boolean {
  return [...chain(nextOf(info))].some(({ sType, address }) => {
    if (!MAINTENANCE_5.includes(sType)) return false;
    const { fields } = codecBySType(sType)!.layout;
    return peek32(address + BigInt(fields.find(({ name }) => name === "maintenance5")!.offset)) !== 0;
  });
}

function slotsOf(level: "instance" | "device"): Slots {
  let slots = sorted.get(level);
  if (!slots) sorted.set(level, slots = sortSlots(level));
  return slots;
}

/** Reads the registry's lines as they are: as objects they would take longer than an instance does. */
function sortSlots(level: "instance" | "device"): Slots {
  const letter = level[0], core: number[][] = [], extended = new Map<number, string[]>(), never = new Set<number>();
  for (const line of EXTENSIONS.trim().split("\n")) {
    const [name, kind, , , , , ...commands] = line.split(" ");
    const slots = commands.filter((each) => each[0] === letter).map((each) => Number(each.slice(1)));
    if (kind === "v") core.push(slots);
    else if (kind !== letter) slots.forEach((slot) => never.add(slot));
    else for (const slot of slots) extended.set(slot, [...extended.get(slot) ?? [], name]);
  }
  for (const slot of [...core.flat(), ...never]) extended.delete(slot);
  return { core, extended };
}
