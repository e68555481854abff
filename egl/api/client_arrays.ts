import { NativeBlock } from "../../ffi/block.ts";
import type { ArrayLayout, ArrayTarget } from "./client_array.ts";

/** A client array that the driver may read. */
export interface KeptArray {
  /** Bytes of the array. */
  readonly size: number;
  /** How the driver reads it. */
  readonly layout: ArrayLayout;
}

/** A context's native copies of client arrays: each lives as long as the driver may read it. */
export class ClientArrays {
  readonly #read = new Map<bigint, NativeBlock>();
  /** Arrays by the addresses of their copies. */
  readonly #arrays = new Map<bigint, KeptArray>();
  /** The last array's memory, for the next copy: programs set their arrays anew for each frame. */
  #spare: NativeBlock | undefined;

  /**
   * Tells the driver of an array, and keeps a copy of the array for the driver.
   * The driver says which copy the new one replaces: that depends on the bound
   * vertex array object, and a failed command replaces none.
   */
  set(bytes: Uint8Array, layout: ArrayLayout | undefined, tell: (address: bigint) => void, told: () => bigint): void {
    const block = this.#copy(bytes), before = told();
    tell(block.address);
    const after = told();
    if (after !== before) this.#end(before);
    if (after !== block.address) return this.#layAside(block);
    this.#read.set(after, block);
    if (layout) this.#arrays.set(after, { size: bytes.length, layout });
  }

  /** Whether the driver reads no array of this context's. */
  get isEmpty(): boolean {
    return this.#arrays.size === 0;
  }

  /**
   * The arrays that a draw would read. `addressOf` returns the driver's address for an array, `inUnit` makes a texture
   * unit the one that is asked about.
   */
  kept(addressOf: (target: ArrayTarget) => bigint, inUnit: (unit: number, work: () => void) => void): KeptArray[] {
    const found = new Set<KeptArray>(), asked = new Set<string>();
    for (const { layout: { target } } of this.#arrays.values()) {
      const key = `${target.name} ${target.unit ?? ""}`;
      if (asked.has(key)) continue;
      asked.add(key);
      const look = () => {
        const array = this.#arrays.get(addressOf(target));
        if (array) found.add(array);
      };
      if (target.unit === undefined) look();
      else inUnit(target.unit, look);
    }
    return [...found];
  }

  /** The same for an array that is the caller's own, or in a buffer object. */
  leave(tell: () => void, told: () => bigint): void {
    const before = told();
    tell();
    if (told() !== before) this.#end(before);
  }

  /** Frees all: when the context is gone. */
  close(): void {
    for (const block of [...this.#read.values(), this.#spare]) block?.close();
    this.#read.clear();
    this.#arrays.clear();
    this.#spare = undefined;
  }

  #copy(bytes: Uint8Array): NativeBlock {
    const spare = this.#spare && this.#spare.size >= bytes.length ? this.#spare : undefined;
    if (spare) this.#spare = undefined;
    const block = spare ?? new NativeBlock(Math.max(bytes.length, 1));
    block.bytes.set(bytes);
    return block;
  }

  #end(address: bigint): void {
    const block = this.#read.get(address);
    this.#read.delete(address);
    this.#arrays.delete(address);
    if (block) this.#layAside(block);
  }

  /** Keeps the larger of two blocks. */
  #layAside(block: NativeBlock): void {
    const [larger, smaller] = block.size > (this.#spare?.size ?? -1) ? [block, this.#spare] : [this.#spare, block];
    smaller?.close();
    this.#spare = larger;
  }
}
