import { prepareMapped } from "../../ffi/mapped.ts";
import { prepareCallbacks } from "../../ffi/prepare.ts";
import { prepareAbsent } from "../chain/table/absent.ts";
import { bottomProcAddr } from "../chain/bottom/bottom.ts";
import { byLayer } from "../chain/bottom/by_layer.ts";
import { namesOf } from "../chain/table/names.ts";
import { stampsOf } from "../chain/table/stamps.ts";
import { wrappingCode } from "../chain/object/wrapping.ts";
import type { Driver } from "../driver/interface/driver.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import type { LoaderSurface } from "./exports.ts";
import { GlobalEntrances } from "./globals.ts";
import { connectModule } from "./module.ts";

/** Callbacks and lookups an instance with native layers takes, times as many as may be made in one native call. */
const STOCK = { thunks: 64, lookups: 16 } as const;

/**
 * A loader in the place of the system's: native code in this process that
 * opens or links `libvulkan.so.1` reaches it.
 */
export class Installation implements Disposable {
  readonly #globals: GlobalEntrances;
  readonly #disconnect: () => void;
  #open = true;

  /**
   * Puts a loader there, by its raw commands and what is seen of it. `alone`:
   * before there is an instance, the driver says all there is to say, and no
   * layer has a part in it. Throws as {@linkcode connectModule} does.
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

  /** Takes the loader away. A second call does nothing. */
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

/** Fills up what making the callbacks of layers has used. Not inside a callback. */
export function restock(): void {
  prepareCallbacks(STOCK);
}

/**
 * Fills up what callbacks have used, once native code has returned: while it
 * runs, none of Deno's operations may be called, and this needs some.
 */
export function restockLater(): void {
  Promise.resolve().then(restock);
}

/** Does all that making an instance needs and that cannot be done inside a callback. */
function prepare({ absentFails }: LoaderSurface): void {
  prepareCallbacks(STOCK);
  prepareMapped();
  bottomProcAddr();
  byLayer();
  wrappingCode();
  prepareAbsent(absentFails);
  for (const level of ["instance", "device"] as const) {
    namesOf(level);
    stampsOf(level);
  }
}
