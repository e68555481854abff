import { NativeBlock } from "../block.ts";
import { readCString } from "../cstring.ts";
import { LOOKUP, LOOKUP_TABLE, nameHash } from "../emit/layout.ts";
import { publish64 } from "../machine.ts";
import { portableFunction, PortableThunk } from "../portable.ts";
import { parseSignature } from "../signature.ts";
import { giveLookup, type PoolEntry, takeLookup } from "../thunk/pool.ts";

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
 *
 * @example
 * ```ts
 * import { arena, createLookup, cstring, invokeAddress } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using lookup = createLookup([["vkOne", 0x1000n]]);
 * const memory = arena(), mark = memory.mark();
 * const addressOf = (name: string) => invokeAddress(lookup.address, "q:qq", [0n, memory.place(cstring(name))]);
 * assertEquals([addressOf("vkOne"), addressOf("vkOther")], [0x1000n, 0n]);
 * memory.release(mark);
 * ```
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

const { entries: ENTRIES, entryShift: SHIFT, mask: MASK, name: NAME, value: VALUE } = LOOKUP_TABLE;

/** A hash table in native memory, at most half full. Machine code may read the table while entries are added. */
export class LookupTable {
  /** The memory of the table. */
  readonly block: NativeBlock;
  readonly #capacity: number;
  readonly #places = new Map<string, number>();
  #top: number;

  /** Makes an empty table with room for twice as many names as `count`, and twice as many bytes as `bytes`. */
  constructor(count: number, bytes: number) {
    this.#capacity = 1 << 32 - Math.clz32(4 * count + 16);
    this.#top = ENTRIES + (this.#capacity << SHIFT);
    this.block = new NativeBlock(this.#top + 2 * bytes + 1024);
    this.block.view.setUint32(MASK, this.#capacity - 1, true);
  }

  /** Sets a name's address; `false` if there is no room for a new name. */
  set(name: string, address: bigint): boolean {
    const known = this.#places.get(name);
    if (known !== undefined) {
      this.block.view.setBigUint64(known + VALUE, address, true);
      return true;
    }
    const text = new TextEncoder().encode(name);
    if (2 * this.#places.size >= this.#capacity || this.#top + text.length >= this.block.size) return false;
    this.#add(name, text, address);
    return true;
  }

  /** Returns a larger table with the same names and one more. */
  grown(name: string, address: bigint): LookupTable {
    const known = [...this.#places].map(([each, at]) =>
      [each, this.block.view.getBigUint64(at + VALUE, true)] as const
    );
    const table = new LookupTable(2 * known.length + 1, 2 * this.block.size + name.length);
    for (const [each, value] of known) table.set(each, value);
    table.set(name, address);
    return table;
  }

  /** The name is written last, after a barrier, so that a reader sees a whole entry or none. */
  #add(name: string, text: Uint8Array, address: bigint): void {
    const { view, bytes, address: base } = this.block;
    let index = nameHash(text) & this.#capacity - 1;
    while (view.getBigUint64(ENTRIES + (index << SHIFT) + NAME, true) !== 0n) index = index + 1 & this.#capacity - 1;
    const entry = ENTRIES + (index << SHIFT);
    bytes.set(text, this.#top);
    view.setBigUint64(entry + VALUE, address, true);
    publish64(base + BigInt(entry + NAME), base + BigInt(this.#top));
    this.#top += text.length + 1;
    this.#places.set(name, entry);
  }
}

/**
 * A name lookup without emitted code. The lookup is a callback, so another
 * thread that asks waits for this isolate's event loop.
 */
class PortableLookup {
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
