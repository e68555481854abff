import { type ExportedLibrary, exportLibrary } from "../../../ffi/functions/exported.ts";
import { tableLayout } from "../../chain/table/table_layout.ts";
import { HOOKS } from "./hooks.ts";

/** The commands with a guard, in the order of their slots in a device's table. */
export const GUARDED: readonly string[] = HOOKS.filter(({ checked }) => checked).map(({ name }) => name);

let made: ExportedLibrary | null | undefined;

/** Makes the guards. Not for use inside a callback. */
export function prepareGuards(): void {
  if (made !== undefined) return;
  const { own } = tableLayout("device");
  const trampolines = GUARDED.map((name, index): [string, number] => [name, 8 * (own + index)]);
  made = exportLibrary({ trampolines }) ?? null;
}

/**
 * Returns the guard of a command. On any thread, the guard calls the command on
 * devices that have its extension, and does nothing on others, according to the
 * table of the device. Returns `undefined` where emitted code cannot be used.
 */
export function guardOf(name: string): bigint | undefined {
  return made?.address(name);
}

/** Whether a command has a guard. */
export function isGuarded(name: string): boolean {
  return GUARDED.includes(name);
}
