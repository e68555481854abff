import { DEVICE_NAMES, INSTANCE_NAMES } from "../../loader/gen/command_table_gen.js";

/** Commands that a layer library answers itself, those of an instance first. Their numbers are their places. */
export const OWN = [
  "vkCreateInstance",
  "vkDestroyInstance",
  "vkGetInstanceProcAddr",
  "vkEnumerateInstanceLayerProperties",
  "vkEnumerateInstanceExtensionProperties",
  "vkEnumerateDeviceLayerProperties",
  "vkEnumerateDeviceExtensionProperties",
  "vkCreateDevice",
  "vkGetDeviceProcAddr",
  "vkDestroyDevice",
] as const;
/** The number of the first of these commands that belongs to a device. */
export const FIRST_OF_DEVICE = 8;

/** Returns the names of all commands; a command's number is its place. Those of an instance come first. */
export function numberedCommands(): readonly string[] {
  return [...new Set([...ofInstance(), ...DEVICE_NAMES.split(" ")])];
}

/** Returns the number of the first command that belongs to a device alone and is not one of {@linkcode OWN}. */
export function firstDeviceNumber(): number {
  return ofInstance().size;
}

function ofInstance(): ReadonlySet<string> {
  return new Set([...OWN, ...INSTANCE_NAMES.split(" ")]);
}

/** Integer arguments in registers, by processor. */
const REGISTERS = { x86_64: 6, aarch64: 8 } as const;
/** A processor that a layer library is written for. */
export type Processor = keyof typeof REGISTERS;

/** The systems on which programs run, with their processors. Android's linker takes the same files as that of Linux. */
export const TARGETS: Readonly<Record<"x86_64-linux" | "aarch64-linux" | "aarch64-android", Processor>> = {
  "x86_64-linux": "x86_64",
  "aarch64-linux": "aarch64",
  "aarch64-android": "aarch64",
};

/** The number of floating-point arguments in registers, on each processor. */
export const FLOATS: number = 8;

/** Returns the number of 8-byte arguments on the stack in calls of a signature. */
export function stackedArguments(signature: string, processor: Processor): number {
  const letters = signature.slice(2), integers = letters.replace(/[fd]/g, "").length;
  return Math.max(0, integers - REGISTERS[processor]) + Math.max(0, letters.length - integers - FLOATS);
}
