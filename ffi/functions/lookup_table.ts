import { NativeBlock } from "../block.ts";
import { LOOKUP_TABLE } from "../emit/layout.ts";
import { nameHash } from "../emit/name_hash.ts";
import { publish64 } from "../machine.ts";

const { entries: ENTRIES, entryShift: SHIFT, mask: MASK, name: NAME, value: VALUE } = LOOKUP_TABLE;

/** A hash table in native memory, at most half full. Machine code may read the table while entries are added. */
export class LookupTable {
  /** Its memory. */
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
