import { bindChecked } from "../../ffi/functions/checked_stubs.ts";
import type { TableSet } from "../../ffi/emit/layout.ts";
import { storeFault } from "../../ffi/fault.ts";
import { peek64 } from "../../ffi/machine.ts";
import { isTable } from "../../ffi/functions/table_sets.ts";
import { commandSignature } from "./registry/kind.ts";
import type { Command } from "./registry/table.ts";
import type { NativeCall } from "./target.ts";

/** Commands that may be called with NULL. */
const NULLABLE: ReadonlySet<string> = new Set([
  "vkDestroyInstance",
  "vkDestroyDevice",
  "vkGetInstanceProcAddr",
  "vkGetDeviceProcAddr",
]);
/** The commands that are called by table, by the kind of handle and the offset in the table. */
const commands = new Map<string, Command>();

/**
 * Returns a function that calls a command at an offset of its dispatch table.
 * If the first argument is not a handle, throws after the call.
 */
export function checkedCall(command: Command, offset: number): NativeCall {
  const set = command.level === "instance" ? "instance" : "device";
  commands.set(`${set} ${offset}`, command);
  return bindChecked(commandSignature(command, "raw"), set, refuse);
}

/** Throws, before TypeScript carries out a command, if the first argument is not a handle. */
export function checkHandle(command: Command, argument: bigint): void {
  if (command.level === "global" || (argument === 0n && NULLABLE.has(command.name))) return;
  const isHandle = argument !== 0n && isTable(command.level, peek64(argument));
  if (!isHandle) throw badHandle(command, argument);
}

function refuse(argument: bigint, set: TableSet, offset: number): void {
  storeFault(badHandle(commands.get(`${set} ${offset}`)!, argument));
}

function badHandle({ name, params: [{ name: parameter, type }] }: Command, argument: bigint): TypeError {
  const found = argument === 0n ? "VK_NULL_HANDLE" : `0x${argument.toString(16)}`;
  return new TypeError(`${name} ${parameter}: expected a ${type} that is not destroyed, found ${found}`);
}
