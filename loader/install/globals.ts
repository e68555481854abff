import { createThunk, type Thunk, type ThunkOptions } from "../../ffi/thunk/thunk.ts";
import { refusingInCode } from "../chain/failed_creation.ts";
import type { NativeCall } from "../command/compile.ts";
import { commandSignature } from "../command/plan.ts";
import { findCommand } from "../command/registry/table.ts";
import type { Driver } from "../driver/interface/driver.ts";
import { driverProc } from "../driver/interface/probe.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import { GLOBAL_COMMANDS } from "./proc_addr.ts";

type GlobalCommand = typeof GLOBAL_COMMANDS[number];

/** The entrances of native code before there is an instance. */
export class GlobalEntrances {
  /** The functions by name. */
  readonly addresses: ReadonlyMap<string, bigint>;
  readonly #thunks: readonly Thunk[];

  /**
   * Makes the callbacks that lead to a loader's own commands. `alone`: the
   * driver's answers are complete. Not for use inside a callback.
   */
  constructor(raw: RawCommands, driver: Driver, alone: boolean) {
    const version = alone && !driver.search ? driverProc(driver, 0n, "vkEnumerateInstanceVersion") : 0n;
    const made = GLOBAL_COMMANDS.map((name) => [name, makeThunk(name, raw, elsewhere(name, driver, version))] as const);
    this.#thunks = made.map(([, thunk]) => thunk);
    this.addresses = new Map(made.map(([name, { address }]) => [name, address]));
  }

  /** Frees the callbacks. Nothing may lead to them any more. */
  close(): void {
    for (const thunk of this.#thunks) thunk.free();
  }
}

function makeThunk(name: GlobalCommand, raw: RawCommands, options: ThunkOptions): Thunk {
  const call = (...args: unknown[]) => (raw[name] as NativeCall)(...args);
  return createThunk(commandSignature(findCommand(name)!, "raw"), refusingInCode(call), options);
}

/**
 * On a foreign thread, a named driver answers for its version itself, with the
 * function at an address. All other answers come from TypeScript.
 */
function elsewhere(name: GlobalCommand, driver: Driver, version: bigint): ThunkOptions {
  if (name === "vkEnumerateInstanceExtensionProperties") {
    return { onForeignThread: "block", next: driverProc(driver, 0n, name) }; // the driver's own, once this thread has ended
  }
  if (name !== "vkEnumerateInstanceVersion" || version === 0n) return { onForeignThread: "block" };
  return { onForeignThread: "skip", next: version };
}
