import { createThunk, type Thunk, type ThunkOptions } from "../../../ffi/thunk/thunk.ts";
import { commandSignature } from "../../command/plan.ts";
import { findCommand } from "../../command/registry/table.ts";
import type { NativeCall } from "../../command/compile.ts";

/** Callbacks that live as long as their driver. */
export class Thunks {
  readonly #made: Thunk[] = [];

  /**
   * Makes a function with a command's C signature. Other threads wait for this
   * thread, unless the options say otherwise.
   */
  command(name: string, handler: NativeCall, options: ThunkOptions = { onForeignThread: "block" }): bigint {
    return this.function(commandSignature(findCommand(name)!, "raw"), handler, options);
  }

  /** Makes a function of any signature. */
  function(signature: string, handler: NativeCall, options: ThunkOptions): bigint {
    const thunk = createThunk(signature, handler, options);
    this.#made.push(thunk);
    return thunk.address;
  }

  /** Frees all functions. No native code may hold any. */
  close(): void {
    for (const thunk of this.#made.splice(0)) thunk.free();
  }
}
