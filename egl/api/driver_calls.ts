import { readCString } from "../../ffi/cstring.ts";
import { bindByAddress } from "../../ffi/stubs.ts";
import { DriverError } from "../../loader/error.ts";
import { signatureOf } from "../command/spec.ts";
import { eglCommands } from "../dispatch/names.ts";

/** A number or bigint, as raw commands take and return them. */
export type Word = number | bigint;

/** The driver's own EGL functions. */
export class DriverCalls {
  readonly #addresses: readonly bigint[];
  readonly #path: string;
  readonly #others = new Map<string, bigint>();

  /** Calls by the addresses of a table; `path` names the driver in errors. */
  constructor(addresses: readonly bigint[], path: string) {
    this.#addresses = addresses;
    this.#path = path;
  }

  /** Calls another function in the place of one of the driver's, which it has in its turn call that. */
  replace(name: string, address: bigint): void {
    this.#others.set(name, address);
  }

  /** The address of a function; 0n if the driver lacks it or the registry doesn't know it. */
  address(name: string): bigint {
    const other = this.#others.get(name);
    if (other !== undefined) return other;
    const slot = eglCommands.slot(name);
    return slot === undefined ? 0n : this.#addresses[slot];
  }

  /** Whether the driver has a function. */
  has(name: string): boolean {
    return this.address(name) !== 0n;
  }

  /** Calls a function of the driver's. Throws a {@linkcode DriverError} when it has none of that name. */
  call(name: string, ...args: Word[]): Word {
    const address = this.address(name);
    if (address === 0n) {
      throw new DriverError("unusable", this.#path, `Cannot call ${name}: "${this.#path}" doesn't have it`);
    }
    return bindByAddress(signatureOf(eglCommands.find(name)!))(...args, address);
  }

  /** The driver's error, which is reset by asking. */
  error(): number {
    return this.call("eglGetError") as number;
  }

  /** A string of a display, or of the client with 0n; "" if the driver returns none. */
  string(display: bigint, name: number): string {
    return readCString(this.call("eglQueryString", display, name) as bigint);
  }
}
