import { readCString } from "../cstring.ts";
import { parseSignature } from "../signature.ts";
import { PortableThunk } from "./thunk.ts";

/** A name lookup without emitted code: a callback, so any other thread that asks waits for this isolate's event loop. */
export class PortableLookup {
  readonly #addresses: Map<string, bigint>;
  readonly #thunk: PortableThunk;

  /** Makes a lookup of these names; others go to `miss`. */
  constructor(entries: Iterable<readonly [string, bigint]>, miss: bigint) {
    this.#addresses = new Map(entries);
    const find = (handle: bigint, name: bigint): bigint =>
      this.#addresses.get(readCString(name)) ?? this.#thunk.passOn(handle, name);
    this.#thunk = new PortableThunk(parseSignature("q:qq"), find, { next: miss, failure: 0n });
  }

  /** The function's address. */
  get address(): bigint {
    return this.#thunk.address;
  }

  /** Gives a name an address. */
  set(name: string, address: bigint): void {
    this.#addresses.set(name, address);
  }

  /** Empties the table. */
  close(): void {
    this.#addresses.clear();
    this.#thunk.close();
  }

  /** Closes and gives the callback's memory back. */
  free(): void {
    this.close();
    this.#thunk.free();
  }

  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}
