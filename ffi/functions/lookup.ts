import { LOOKUP } from "../emit/layout.ts";
import { giveLookup, type PoolEntry, takeLookup } from "../thunk/pool.ts";
import { LookupTable } from "./lookup_table.ts";
import { publish64 } from "../machine.ts";
import { PortableLookup } from "../portable/lookup.ts";

/** A function `void *(void *handle, const char *name)` that answers from a table of names. */
export interface Lookup {
  /** The function's address. */
  readonly address: bigint;
  /** Gives a name an address, or another one; 0n makes the name answer NULL. Safe while native code is asking. */
  set(name: string, address: bigint): void;
  /** Changes where unknown names go. Safe while native code is asking. */
  setMiss(miss: bigint): void;
  /** Empties the table: every name goes to `miss`. The address stays callable. A second call does nothing. */
  close(): void;
  /** Closes, and frees all memory and the address for another lookup: only when no native code holds it. */
  free(): void;
  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void;
}

/**
 * Makes a vkGetInstanceProcAddr-like function that native code may call from
 * any thread: it answers known names from a hash table without leaving machine
 * code, and passes on to `miss`, arguments in place, for all others. With a
 * `miss` of 0n unknown names answer NULL. The handle is not looked at.
 */
export function createLookup(entries: Iterable<readonly [name: string, address: bigint]>, miss = 0n): Lookup {
  const entry = takeLookup();
  return entry ? new EmittedLookup(entries, miss, entry) : new PortableLookup(entries, miss);
}

class EmittedLookup implements Lookup {
  readonly address: bigint;
  readonly #entry: PoolEntry;
  readonly #addresses: Map<string, bigint>;
  /** The table in use, last, and before it those native code may still be reading. */
  readonly #tables: LookupTable[] = [];
  #state: "open" | "closed" | "free" = "open";

  constructor(entries: Iterable<readonly [string, bigint]>, miss: bigint, entry: PoolEntry) {
    this.#entry = entry;
    this.address = entry.address;
    this.#addresses = new Map(entries);
    entry.record.setBigUint64(LOOKUP.miss, miss, true);
    this.#rebuild();
  }

  set(name: string, address: bigint): void {
    if (this.#state !== "open") return;
    this.#addresses.set(name, address);
    if (!this.#tables.at(-1)!.set(name, address)) this.#rebuild();
  }

  setMiss(miss: bigint): void {
    publish64(this.#entry.recordAddress + BigInt(LOOKUP.miss), miss);
  }

  close(): void {
    if (this.#state !== "open") return;
    this.#state = "closed";
    this.#addresses.clear();
    this.#rebuild();
  }

  free(): void {
    this.close();
    if (this.#state === "free") return;
    this.#state = "free";
    for (const table of this.#tables.splice(0)) table.block.close();
    giveLookup(this.#entry);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #rebuild(): void {
    let bytes = 0;
    for (const name of this.#addresses.keys()) bytes += 3 * name.length + 1;
    const table = new LookupTable(this.#addresses.size, bytes);
    for (const [name, address] of this.#addresses) table.set(name, address);
    this.#tables.push(table);
    publish64(this.#entry.recordAddress + BigInt(LOOKUP.table), table.block.address);
  }
}
