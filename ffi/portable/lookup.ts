import { readCString } from "../cstring.ts";
import { parseSignature } from "../signature.ts";
import { portableFunction } from "./call.ts";
import { PortableThunk } from "./thunk.ts";

/**
 * A name lookup without emitted code. The lookup is a callback, so another
 * thread that asks waits for this isolate's event loop.
 */
export class PortableLookup {
  readonly #addresses: Map<string, bigint>;
  readonly #thunk: PortableThunk;
  #miss: bigint;

  /** Makes a lookup of these names. All other names go to `miss`. */
  constructor(entries: Iterable<readonly [string, bigint]>, miss: bigint) {
    this.#addresses = new Map(entries);
    this.#miss = miss;
    const find = (handle: bigint, name: bigint): bigint =>
      this.#addresses.get(readCString(name)) ?? this.#passOn(handle, name);
    this.#thunk = new PortableThunk(parseSignature("q:qq"), find, { failure: 0n });
  }

  /** The function's address. */
  get address(): bigint {
    return this.#thunk.address;
  }

  /** Sets the address of a name. */
  set(name: string, address: bigint): void {
    this.#addresses.set(name, address);
  }

  /** Sets the function that answers unknown names. */
  setMiss(miss: bigint): void {
    this.#miss = miss;
  }

  /** Empties the table. */
  close(): void {
    this.#addresses.clear();
  }

  /** Closes the lookup and frees the callback's memory. */
  free(): void {
    this.close();
    this.#thunk.free();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #passOn(handle: bigint, name: bigint): bigint {
    return this.#miss === 0n ? 0n : portableFunction(this.#miss, "q:qq")(handle, name);
  }
}
