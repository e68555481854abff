import { createProcAddr, type Proc, type ProcAddr } from "../../ffi/proc_addr.ts";
import { type TableLayout, tableLayout } from "../chain/table_layout.ts";
import { findCommand } from "../command/table.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";

/** The commands there are without an instance; vkGetInstanceProcAddr answers for them whatever instance it is given. */
export const GLOBAL_COMMANDS = [
  "vkCreateInstance",
  "vkEnumerateInstanceVersion",
  "vkEnumerateInstanceExtensionProperties",
  "vkEnumerateInstanceLayerProperties",
] as const;

/** Bytes of one function pointer. */
const POINTER = 8;

let made: ProcAddr | undefined;

/**
 * vkGetInstanceProcAddr and vkGetDeviceProcAddr for native callers, in machine
 * code; made at the first call. They answer by the tables of whatever instance
 * or device they are asked about, so one pair serves all loaders. `undefined`
 * where emitted code cannot be used.
 */
export function procAddr(): ProcAddr | undefined {
  const instance = tableLayout("instance"), device = tableLayout("device");
  return made ??= createProcAddr(
    { instanceMiss: POINTER * instance.below, deviceMiss: POINTER * device.below },
    [
      ...globals(),
      ...commands(INSTANCE_NAMES, instance.front, 0),
      ...commands(DEVICE_NAMES, instance.available, device.front),
    ],
    [farewell("vkDestroyInstance", instance), farewell("vkDestroyDevice", device)],
  );
}

/** Stands for a destroying command where no TypeScript can run: it notes in the table what TypeScript must know. */
function farewell(name: string, { gone }: TableLayout) {
  return { name, offset: POINTER * findCommand(name)!.slot, noteOffset: POINTER * gone };
}

function globals(): Proc[] {
  return GLOBAL_COMMANDS.map((name) => ({ name, answer: 0n, instance: 0, device: 0 }));
}

/** The commands of a level, by where an instance's table says whether they are there, and where a device's has them. */
function commands(names: string, inInstance: number, inDevice: number): Proc[] {
  return names.split(" ").map((name, slot) => ({
    name,
    answer: 0n,
    instance: name === "vkGetInstanceProcAddr" ? 0 : POINTER * (inInstance + slot),
    device: inDevice === 0 ? 0 : POINTER * (inDevice + slot),
  }));
}
