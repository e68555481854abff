import { readCString } from "../../ffi/cstring.ts";
import type { DispatchTable } from "../chain/dispatch_table.ts";
import { directRaw } from "../command/compile.ts";
import { findCommand, type Level } from "../command/table.ts";

/**
 * vkGetInstanceProcAddr or vkGetDeviceProcAddr in raw form: commands the
 * dispatch table holds answer from there, so that the pointers store dispatch
 * keys as the commands themselves do; other names go down the chain.
 */
export function tableProcAddr(table: DispatchTable, level: Level): (handle: bigint, name: bigint) => bigint {
  const own = level === "device" ? "vkGetDeviceProcAddr" : "vkGetInstanceProcAddr";
  return (handle, name) => {
    const command = findCommand(readCString(name));
    return command?.level === level ? table.get(command.slot) : directRaw(findCommand(own)!)(handle, name);
  };
}
