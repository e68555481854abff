import { readCString } from "../../ffi/cstring.ts";
import { invokeAddress, peek64 } from "../../ffi/machine.ts";
import type { DispatchTable } from "../chain/table/dispatch_table.ts";
import { tableLayout } from "../chain/table/table_layout.ts";
import { type Command, findCommand, type Level } from "../command/registry/table.ts";
import { exportedAddress } from "../chain/installed.ts";

const OF_INSTANCE = "vkGetInstanceProcAddr";

/**
 * vkGetInstanceProcAddr or vkGetDeviceProcAddr in raw form. Commands of the
 * dispatch table answer with the table's pointers, so that these pointers store
 * dispatch keys as the commands themselves do. Other names go down the chain.
 *
 * Commands that need no instance have an address only while the loader is
 * installed. Then the pointers are those that native code gets, which run the
 * hooks of TypeScript layers. Without installation, native code has nothing to
 * call above the driver and the native layers.
 */
export function tableProcAddr(table: DispatchTable, level: Level): (handle: bigint, name: bigint) => bigint {
  const get = (slot: number) => table.get(slot), find = level === "device" ? ofDevice : ofInstance;
  return (handle, name) => find(get, handle, name);
}

/** The vkGetInstanceProcAddr of a loader, for any of its instances or for NULL. */
export function loaderProcAddr(instance: bigint, name: bigint): bigint {
  return ofInstance((slot) => peek64(peek64(instance) + BigInt(8 * slot)), instance, name);
}

type Slots = (slot: number) => bigint;

function ofInstance(get: Slots, instance: bigint, name: bigint): bigint {
  const text = textOf(name), command = findCommand(text);
  if (instance === 0n) return isBare(text, command) ? exportedAddress(text) : 0n;
  if (command?.level === "global") return get(tableLayout("instance").globals) === 0n ? 0n : exportedAddress(text);
  return command?.level === "instance" ? entrance(get, "instance", command.slot) : ask(get, "instance", instance, name);
}

function ofDevice(get: Slots, device: bigint, name: bigint): bigint {
  const command = findCommand(textOf(name));
  if (device === 0n || (command && command.level !== "device")) return 0n;
  return command ? entrance(get, "device", command.slot) : ask(get, "device", device, name);
}

/** Returns the function through which native code enters a command, if there is one; otherwise the command itself. */
function entrance(get: Slots, level: "instance" | "device", slot: number): bigint {
  const own = get(slot);
  return own === 0n ? 0n : get(tableLayout(level).front + slot) || own;
}

/** Whether a command can be queried without an instance. */
function isBare(name: string, command: Command | undefined): boolean {
  return command?.level === "global" || name === OF_INSTANCE;
}

/** Asks the chain below. A NULL name answers NULL. */
function ask(get: Slots, level: "instance" | "device", handle: bigint, name: bigint): bigint {
  const below = get(tableLayout(level).below);
  return name === 0n || below === 0n ? 0n : invokeAddress(below, "q:qq", [handle, name]) as bigint;
}

function textOf(name: bigint): string {
  return name === 0n ? "" : readCString(name);
}
