import { createThunk, type Thunk } from "../../../ffi/thunk/thunk.ts";
import { commandSignature } from "../../command/plan.ts";
import { findCommand } from "../../command/registry/table.ts";
import { type HookConditions, HOOKS, isActive } from "./hooks.ts";

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
