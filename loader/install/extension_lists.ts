import { type ByName, createByName } from "../../ffi/by_name.ts";
import type { DispatchTable } from "../chain/dispatch_table.ts";
import { tableLayout } from "../chain/table_layout.ts";
import { findCommand } from "../command/table.ts";

/** Bytes of one function pointer. */
const POINTER = 8;

/** The command that lists a physical device's extensions, or those of a layer. */
export const DEVICE_EXTENSIONS = "vkEnumerateDeviceExtensionProperties";

let made: ByName | undefined;

/** What tells questions about a layer from others, made at the first call; `undefined` where emitted code cannot be used. */
export function byLayer(): ByName | undefined {
  const { layered, plain } = tableLayout("instance");
  return made ??= createByName({ named: POINTER * layered, unnamed: POINTER * plain });
}

/**
 * Has an instance's table lead questions about a layer's device extensions to
 * `layered`, on every thread; the chain goes on answering all others. A driver
 * need not know any layer.
 */
export function askOfLayers(table: DispatchTable, layered: bigint): void {
  const { slot } = findCommand(DEVICE_EXTENSIONS)!, plain = table.get(slot), { ofObject } = byLayer()!;
  if (plain === ofObject || plain === 0n) return;
  table.set(table.layout.plain, plain);
  table.set(table.layout.layered, layered);
  table.set(slot, ofObject);
}

/** The chain's own command, which may be asked about a layer, too. */
export function chainExtensions(table: DispatchTable): bigint {
  return table.get(table.layout.plain) || table.get(findCommand(DEVICE_EXTENSIONS)!.slot);
}
