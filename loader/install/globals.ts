import { createThunk, type Thunk, type ThunkOptions } from "../../ffi/thunk.ts";
import { refusingInCode } from "../chain/refusal.ts";
import type { NativeCall } from "../command/compile.ts";
import { commandSignature } from "../command/kind.ts";
import { findCommand } from "../command/table.ts";
import type { Driver } from "../driver/driver.ts";
import { driverProc } from "../driver/probe.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import { byLayer } from "./extension_lists.ts";
import { GLOBAL_COMMANDS } from "./proc_addr.ts";

const INSTANCE_EXTENSIONS = "vkEnumerateInstanceExtensionProperties";

type GlobalCommand = typeof GLOBAL_COMMANDS[number];

/** Where native code enters before there is an instance. */
export class GlobalEntrances {
  /** The functions by name. */
  readonly addresses: ReadonlyMap<string, bigint>;
  readonly #thunks: readonly Thunk[];

  /** Makes the callbacks that lead to a loader's own commands; `alone`: what the driver says is all there is. Not inside a callback. */
  constructor(raw: RawCommands, driver: Driver, alone: boolean) {
    const waiting: ThunkOptions = { onForeignThread: "block" };
    const waitingLists = makeThunk(INSTANCE_EXTENSIONS, raw, waiting);
    const unnamed = driverProc(driver, 0n, INSTANCE_EXTENSIONS);
    if (unnamed !== 0n) byLayer()?.set({ named: waitingLists.address, unnamed });
    const options = alone ? (name: GlobalCommand) => elsewhere(name, driver) : () => waiting;
    const made = GLOBAL_COMMANDS.map((name) => [name, makeThunk(name, raw, options(name))] as const);
    this.#thunks = [...made.map(([, thunk]) => thunk), waitingLists];
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
 * On a foreign thread a driver that was named answers itself what it can. An
 * instance, all of layers, and what all drivers that are found have come from
 * TypeScript.
 */
function elsewhere(name: GlobalCommand, driver: Driver): ThunkOptions {
  const ours = name === "vkCreateInstance" || name === "vkEnumerateInstanceLayerProperties";
  const own = ours || driver.search ? 0n : driverProc(driver, 0n, name);
  const next = own !== 0n && name === INSTANCE_EXTENSIONS ? byLayer()?.ofName ?? own : own;
  return next === 0n ? { onForeignThread: "block" } : { onForeignThread: "skip", next };
}
