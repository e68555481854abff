import { ARENA_SIZE as SIZE, arenaMemory } from "./arena_memory.ts";
import { NativeBlock } from "./block.ts";
import { copyToArena } from "./machine.ts";

/** The first offset handed out; 0 stands for NULL. */
const FIRST = 16;

/**
 * Native memory for structs and arrays that live as long as one call, seen
 * through one persistent view. Offsets are small integers; an address is
 * formed only where a pointer is stored. Allocation is a stack: take a
 * {@linkcode Arena.mark}, allocate, {@linkcode Arena.release} back to it.
 */
export class Arena {
  /** Address of offset 0. The arena never crosses a 4 GiB line. */
  readonly base: bigint;
  /** Bytes in all. */
  readonly size: number = SIZE;
  /** Low 32 bits of {@linkcode Arena.base}. */
  readonly low: number;
  /** High 32 bits of {@linkcode Arena.base}, the same for every address in the arena. */
  readonly high: number;
  /** The whole arena; native code writes what is read here. */
  readonly view: DataView;
  /** The whole arena as bytes. */
  readonly bytes: Uint8Array;
  #top = FIRST;
  #overflow: { mark: number; block: NativeBlock }[] = [];

  /** Sees the arena's memory. There is one per isolate: use {@linkcode arena}. */
  constructor() {
    const { base, buffer } = arenaMemory();
    this.base = base;
    this.low = Number(base & 0xffffffffn);
    this.high = Number(base >> 32n);
    this.view = new DataView(buffer);
    this.bytes = new Uint8Array(buffer);
  }

  /** Reserves `size` bytes, 16-aligned, contents undefined; returns their offset. Throws a `RangeError` when full. */
  alloc(size: number): number {
    const offset = this.#top;
    const top = offset + ((size + 15) & ~15);
    if (top > SIZE || size < 0) throw new RangeError(`Arena is full: ${size} bytes asked, ${SIZE - offset} left`);
    this.#top = top;
    return offset;
  }

  /** The current top, to hand to {@linkcode Arena.release} later. */
  mark(): number {
    return this.#top;
  }

  /** Frees everything allocated since `mark`, overflow blocks included. */
  release(mark: number): void {
    this.#top = mark;
    if (this.#overflow.length > 0) this.#releaseOverflow(mark);
  }

  /** The native address of an offset; 0 stays 0 (NULL). */
  address(offset: number): bigint {
    return offset === 0 ? 0n : this.base + BigInt(offset);
  }

  /**
   * Copies bytes to native memory that lives until the next lower release and
   * returns the address; large payloads get a mapping of their own.
   */
  place(bytes: Uint8Array): bigint {
    if (bytes.length <= SIZE >> 3) {
      const offset = this.alloc(bytes.length);
      this.bytes.set(bytes, offset);
      return this.base + BigInt(offset);
    }
    const block = new NativeBlock(bytes.length);
    block.bytes.set(bytes);
    this.#overflow.push({ mark: this.#top, block });
    return block.address;
  }

  /** Copies `size` bytes at a foreign address into the arena and returns their offset. The caller vouches for the address. */
  copyIn(address: bigint, size: number): number {
    const offset = this.alloc(size);
    copyToArena(offset, address, size);
    return offset;
  }

  #releaseOverflow(mark: number): void {
    while (this.#overflow.length > 0 && this.#overflow.at(-1)!.mark >= mark) {
      this.#overflow.pop()!.block.close();
    }
  }
}

let shared: Arena | undefined;

/** The arena of this isolate, mapped at the first call and kept for the life of the process. */
export function arena(): Arena {
  return shared ??= new Arena();
}
