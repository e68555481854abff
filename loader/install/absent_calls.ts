import { readCString } from "../../ffi/cstring.ts";
import { CallRing } from "../../ffi/thunk/ring.ts";
import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";

/** How many calls of other threads are stored until they are reported. Further calls are only on standard error. */
const ROOM = 64;

/** Returns the function that hears of calls, by the address of a dispatch table. */
type Listener = (table: bigint) => ((text: string) => void) | undefined;

/**
 * Calls of missing commands. Machine code has reported each on standard error.
 * This class passes them to the listeners of the instance: at once on this
 * thread, and with the next {@linkcode AbsentCalls.drain} from other threads.
 */
export class AbsentCalls {
  readonly #thunk: Thunk;
  readonly #ring = new CallRing({ records: ROOM });
  readonly #listener: Listener;

  /** Makes the callback. Not for use inside a callback. */
  constructor(listener: Listener) {
    this.#listener = listener;
    const options = { onForeignThread: "record", ring: this.#ring } as const;
    this.#thunk = createThunk("v:qqqq", (...args) => this.#tell(args as bigint[]), options);
  }

  /** The address of the function for dispatch tables. */
  get address(): bigint {
    return this.#thunk.address;
  }

  /** Reports the calls of other threads until now. */
  drain(): void {
    this.#ring.drain(({ args }) => this.#tell(args as bigint[]));
  }

  /** Frees the callback. No table may lead to it. */
  close(): void {
    this.#thunk.free();
    this.#ring.close();
  }

  #tell([table, format, name, driver]: readonly bigint[]): void {
    const tell = this.#listener(table);
    if (!tell) return;
    const line = readCString(format).replace("%s", readCString(name)).replace("%s", readCString(driver));
    tell(line.slice(line.indexOf(":") + 1).trim());
  }
}
