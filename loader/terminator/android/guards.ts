import { type ExportedLibrary, exportLibrary } from "../../../ffi/functions/exported.ts";
import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import { tableLayout } from "../../chain/table/table_layout.ts";
import { commandSignature } from "../../command/plan.ts";
import { findCommand } from "../../command/registry/table.ts";
import { type HookConditions, HOOKS, isActive } from "./hooks.ts";

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

/** A function for each guarded command that does nothing and returns 0. On this thread, it also reports the call. */
export class DisabledCommands {
  readonly #thunks = new Map<string, Thunk>();

  /** Makes the functions. Not for use inside a callback. */
  constructor(conditions: HookConditions, say: (text: string) => void) {
    for (const hook of HOOKS.filter((each) => each.checked && isActive(each, conditions))) {
      const { name, extension } = hook;
      this.#thunks.set(name, disabled(name, () => say(`${name} does nothing: ${extension} is not enabled`)));
    }
  }

  /** Returns the address for a command. */
  address(name: string): bigint {
    return this.#thunks.get(name)!.address;
  }

  /** Frees the functions. */
  close(): void {
    for (const thunk of this.#thunks.values()) thunk.free();
  }
}

function disabled(name: string, complain: () => void): Thunk {
  const signature = commandSignature(findCommand(name)!, "raw"), nothing = signature.startsWith("q") ? 0n : 0;
  const handler = () => {
    complain();
    return nothing;
  };
  return createThunk(signature, handler, { failure: nothing });
}
