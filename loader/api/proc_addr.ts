import { readCString } from "../../ffi/cstring.ts";
import type { DispatchTable } from "../chain/dispatch_table.ts";
import { directRaw } from "../command/compile.ts";
import { type Command, findCommand, type Level } from "../command/table.ts";
import { exportedAddress } from "../install/module.ts";

/**
 * vkGetInstanceProcAddr or vkGetDeviceProcAddr in raw form: commands the
 * dispatch table holds answer from there, so that the pointers store dispatch
 * keys as the commands themselves do; other names go down the chain. Commands
 * that need no instance have an address only while the loader is installed.
 */
export function tableProcAddr(table: DispatchTable, level: Level): (handle: bigint, name: bigint) => bigint {
  const own = level === "device" ? "vkGetDeviceProcAddr" : "vkGetInstanceProcAddr";
  return (handle, name) => {
    if (name === 0n) return 0n;
    const text = readCString(name), command = findCommand(text);
    if (level === "device") return ofDevice(table, handle, command) ?? directRaw(findCommand(own)!)(handle, name);
    return ofInstance(table, handle, text, command) ?? directRaw(findCommand(own)!)(handle, name);
  };
}

/** What the table decides by itself; `undefined` if the chain is to be asked. */
function ofInstance(table: DispatchTable, handle: bigint, name: string, command?: Command): bigint | undefined {
  if (handle === 0n) {
    return command?.level === "global" || name === "vkGetInstanceProcAddr" ? exportedAddress(name) : 0n;
  }
  if (command?.level === "global") return table.get(table.layout.globals) === 0n ? 0n : exportedAddress(name);
  return command?.level === "instance" ? table.get(command.slot) : undefined;
}

function ofDevice(table: DispatchTable, handle: bigint, command?: Command): bigint | undefined {
  if (handle === 0n) return 0n;
  if (!command) return undefined;
  return command.level === "device" ? table.get(command.slot) : 0n;
}
