import { prepareMapped } from "../../ffi/mapped.ts";
import { prepareCallbacks } from "../../ffi/prepare.ts";
import { prepareAbsent } from "../chain/table/dispatch_table.ts";
import { bottomProcAddr } from "../chain/bottom/terminators.ts";
import { surfaceCheck } from "../chain/bottom/surface_check.ts";
import { byLayer } from "../chain/bottom/device_extensions.ts";
import { namesOf, stampsOf } from "../chain/table/table_layout.ts";
import { wrappingCode } from "../chain/object/wrapping.ts";
import type { Driver } from "../driver/interface/driver.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { LoaderSurface } from "./exports.ts";
import { GlobalEntrances } from "./globals.ts";
import { connectModule } from "./module.ts";

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
  surfaceCheck();
  prepareAbsent(absentFails);
  for (const level of ["instance", "device"] as const) {
    namesOf(level);
    stampsOf(level);
  }
}
