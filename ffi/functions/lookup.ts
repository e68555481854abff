import { LOOKUP } from "../emit/layout.ts";
import { giveLookup, type PoolEntry, takeLookup } from "../thunk/pool.ts";
import { LookupTable } from "./lookup_table.ts";
import { publish64 } from "../machine.ts";
import { PortableLookup } from "../portable/lookup.ts";

/** A function `void *(void *handle, const char *name)` that answers from a table of names. */
export interface Lookup {
  /** The function's address. */
  readonly address: bigint;
  /** Sets the address of a name. With 0n the name answers NULL. Safe while native code is asking. */
  set(name: string, address: bigint): void;
  /** Sets the function that answers unknown names. Safe while native code is asking. */
  setMiss(miss: bigint): void;
  /** Empties the table, so that `miss` answers every name. The address stays callable. A second call does nothing. */
  close(): void;
  /**
   * Closes the lookup, and frees its memory and its address for another lookup.
   * Call this method only when no native code holds the address.
   */
  free(): void;
  /** Closes at the end of a `using` scope. */
  [Symbol.dispose](): void;
}

/**
 * Makes a function like vkGetInstanceProcAddr that native code may call from
 * any thread. The function answers known names from a hash table without
 * leaving machine code. For all other names, the function calls `miss` with the
 * same arguments; with a `miss` of 0n, unknown names answer NULL. The handle is
 * ignored.
 */
export function createLookup(entries: Iterable<readonly [name: string, address: bigint]>, miss = 0n): Lookup {
  const entry = takeLookup();
  return entry ? new EmittedLookup(entries, miss, entry) : new PortableLookup(entries, miss);
}

class EmittedLookup implements Lookup {
  readonly address: bigint;
  readonly #entry: PoolEntry;
  readonly #addresses: Map<string, bigint>;
  /** The tables: the last is in use; native code may still be reading the earlier ones. */
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
