import { prepareMapped } from "../../ffi/mapped.ts";
import { prepareCallbacks } from "../../ffi/prepare.ts";
import { createThunk, type Thunk, type ThunkOptions } from "../../ffi/thunk/thunk.ts";
import { byLayer } from "../chain/bottom/driver_instance.ts";
import { tableLayout } from "../chain/table/table_layout.ts";
import { surfaceCheck } from "../emit/members/surface_check.ts";
import { bottomProcAddr } from "../chain/bottom/terminators.ts";
import { refusingInCode } from "../chain/failed_creation.ts";
import { wrappingCode } from "../chain/object/wrapping.ts";
import { prepareAbsent } from "../chain/table/dispatch_table.ts";
import { namesOf, stampsOf } from "../chain/table/table_layout.ts";
import type { NativeCall } from "../command/compile.ts";
import { orphanCall } from "../chain/orphan.ts";
import { commandSignature } from "../command/plan.ts";
import { findCommand } from "../command/registry/table.ts";
import type { Driver } from "../driver/interface/driver.ts";
import { driverProc } from "../driver/interface/probe.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { LoaderSurface } from "./exports.ts";
import { connectModule } from "./module.ts";
import { GLOBAL_COMMANDS } from "./proc_addr.ts";

/**
 * Callbacks and lookups that an instance with native layers needs, times the
 * number of instances that one native call may create.
 */
const STOCK = { thunks: 64, lookups: 16 } as const;

/**
 * A loader in the place of the system's loader. Native code in this process
 * that opens or links `libvulkan.so.1` reaches it.
 */
export class Installation implements Disposable {
  readonly #globals: GlobalEntrances;
  readonly #disconnect: () => void;
  #open = true;

  /**
   * Installs a loader with its raw commands and its surface. `alone`: before
   * there is an instance, the driver's answers are complete and no layer takes
   * part. Throws as {@linkcode connectModule} does.
   */
  constructor(raw: RawCommands, surface: LoaderSurface, driver: Driver, alone: boolean) {
    prepare(surface);
    this.#globals = new GlobalEntrances(raw, driver, alone);
    try {
      this.#disconnect = connectModule(this.#globals.addresses, surface);
    } catch (error) {
      this.#globals.close();
      throw error;
    }
  }

  /** Removes the loader. A second call does nothing. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#disconnect();
    this.#globals.close();
  }

  /** Removes the loader at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/** Fills the stock up after callbacks of layers were made. Not for use inside a callback. */
export function restock(): void {
  prepareCallbacks(STOCK);
}

/**
 * Fills the stock up after native code has returned. During its call, none of
 * Deno's operations may be called, and this function needs some.
 */
export function restockLater(): void {
  Promise.resolve().then(restock);
}

/** Prepares everything for creating an instance that cannot be done inside a callback. */
function prepare({ absentFails }: LoaderSurface): void {
  prepareCallbacks(STOCK);
  prepareMapped();
  bottomProcAddr();
  byLayer();
  wrappingCode();
  surfaceCheck(tableLayout("device").own);
  prepareAbsent(absentFails);
  for (const level of ["instance", "device"] as const) {
    namesOf(level);
    stampsOf(level);
  }
}

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
  return createThunk(commandSignature(findCommand(name)!, "raw"), refusingInCode(call), { ...options, name });
}

/**
 * On a foreign thread, a named driver answers for its version itself, with the
 * function at an address. All other answers come from TypeScript.
 */
function elsewhere(name: GlobalCommand, driver: Driver, version: bigint): ThunkOptions {
  if (name === "vkEnumerateInstanceExtensionProperties") {
    return { onForeignThread: "block", next: driverProc(driver, 0n, name) }; // the driver's own, once this thread has ended
  }
  if (name !== "vkEnumerateInstanceVersion" || version === 0n) {
    return { onForeignThread: "block", next: orphanCall(name) };
  }
  return { onForeignThread: "skip", next: version };
}
