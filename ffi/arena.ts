import { arenaMemory } from "./arena_memory.ts";
import { NativeBlock } from "./block.ts";
import { callAtThreadEnd } from "./call_at_thread_end.ts";
import { LAST_CALL } from "./emit/layout.ts";
import { libcAddress } from "./libc.ts";
import { copyToArena, invoke } from "./machine.ts";

/** The first offset handed out; 0 stands for NULL. */
const FIRST = 16;
/** Bytes that stay with the process once touched; what lies above is given back with the frame that used it. */
const KEPT = 1 << 24;
/** Up to so many bytes are zeroed word by word: the engine's call that fills them all takes as long as ten words. */
const FEW = 64;

/** A payload with a mapping of its own. */
interface Outside {
  /** Its place in the stack: whoever frees that frees the mapping. */
  readonly place: number;
  readonly block: NativeBlock;
}

/**
 * Native memory for structs and arrays that live as long as one call, seen
 * through one persistent view. Offsets are small integers; an address is
 * formed only where a pointer is stored. Allocation is a stack: take a
 * {@linkcode Arena.mark}, allocate, {@linkcode Arena.release} back to it.
 *
 * There is room for 1 GiB (less where the system grants no such address space):
 * address space alone, as memory is used from the bottom up. What a frame has
 * used above 16 MiB the system gets back when the frame ends.
 */
export class Arena {
  /** Address of offset 0. The arena never crosses a 4 GiB line. */
  readonly base: bigint;
  /** Bytes in all. */
  readonly size: number;
  /** Low 32 bits of {@linkcode Arena.base}. */
  readonly low: number;
  /** High 32 bits of {@linkcode Arena.base}, the same for every address in the arena. */
  readonly high: number;
  /** The whole arena; native code writes what is read here. */
  readonly view: DataView;
  /** The whole arena as bytes. */
  readonly bytes: Uint8Array;
  #top = FIRST;
  /** Where the next allocation has to look about: the end of what is kept, then that of the arena. */
  #limit: number;
  /** Whether the end of a frame may have to give something back. */
  #owes = false;
  #outside: Outside[] = [];

  /** Sees the arena's memory. There is one per isolate: use {@linkcode arena}. */
  constructor() {
    const { base, buffer } = arenaMemory();
    this.base = base;
    this.size = buffer.byteLength;
    this.low = Number(base & 0xffffffffn);
    this.high = Number(base >> 32n);
    this.view = new DataView(buffer);
    this.bytes = new Uint8Array(buffer);
    this.#limit = KEPT;
    if (isWorker()) this.#goWithThread();
  }

  /** Reserves `size` bytes, 16-aligned, contents undefined; returns their offset. Throws a `RangeError` when there is no room. */
  alloc(size: number): number {
    const offset = this.#top;
    // Compared before anything is done to it: 32-bit arithmetic would make a small number of a large one.
    if (!(size >= 0 && size <= this.#limit - offset)) this.#reach(size);
    this.#top = offset + ((size + 15) & ~15);
    return offset;
  }

  /** Fills what was allocated at `offset` with zeros, whole words of eight bytes. */
  zero(offset: number, size: number): void {
    const end = offset + size;
    if (size > FEW) this.bytes.fill(0, offset, end);
    else for (let at = offset; at < end; at += 8) this.view.setFloat64(at, 0);
  }

  /** The current top, to hand to {@linkcode Arena.release} later. */
  mark(): number {
    return this.#top;
  }

  /** Whether `size` bytes from an offset on belong to frames that are not over. */
  holds(offset: number, size: number): boolean {
    return offset >= 0 && offset + size <= this.#top;
  }

  /** Frees everything allocated since `mark`, with the mappings of large payloads. */
  release(mark: number): void {
    this.#top = mark;
    if (this.#owes) this.#settle(mark);
  }

  /** The native address of an offset; 0 stays 0 (NULL). */
  address(offset: number): bigint {
    return offset === 0 ? 0n : this.base + BigInt(offset);
  }

  /**
   * Copies bytes to native memory that lives until what was allocated last is
   * released, and returns the address; payloads too large for the arena get a
   * mapping of their own.
   */
  place(bytes: Uint8Array): bigint {
    if (bytes.length <= this.size >> 3) {
      const offset = this.alloc(bytes.length);
      this.bytes.set(bytes, offset);
      return this.base + BigInt(offset);
    }
    const place = this.alloc(1), block = new NativeBlock(bytes.length);
    block.bytes.set(bytes);
    this.#outside.push({ place, block });
    this.#owes = true;
    return block.address;
  }

  /** Copies `size` bytes at a foreign address into the arena and returns their offset. The caller vouches for the address. */
  copyIn(address: bigint, size: number): number {
    const offset = this.alloc(size);
    copyToArena(offset, address, size);
    return offset;
  }

  /** A process may have many Workers, one after the other: the memory goes when one ends, by native code, as no other runs then. */
  #goWithThread(): void {
    const at = this.alloc(LAST_CALL.size);
    this.view.setBigUint64(at + LAST_CALL.target, libcAddress("munmap"), true);
    this.view.setBigUint64(at + LAST_CALL.first, this.base, true);
    this.view.setBigUint64(at + LAST_CALL.second, BigInt(this.size), true);
    callAtThreadEnd("callLast", this.address(at));
  }

  /** Lets a frame have more than is kept. */
  #reach(size: number): void {
    const left = this.size - this.#top;
    if (!(size >= 0 && size <= left)) {
      throw new RangeError(
        `Arena is full: ${size} bytes asked, ${left} left of ${this.size}; split the call, or pass addresses of your own memory (NativeBlock)`,
      );
    }
    this.#limit = this.size;
    this.#owes = true;
  }

  #settle(mark: number): void {
    while (this.#outside.length > 0 && this.#outside.at(-1)!.place >= mark) this.#outside.pop()!.block.close();
    if (mark > KEPT) return;
    this.#owes = this.#outside.length > 0;
    if (this.#limit === KEPT) return;
    const MADV_DONTNEED = 4;
    invoke(libcAddress("madvise"), "s:qqs", [this.base + BigInt(KEPT), BigInt(this.size - KEPT), MADV_DONTNEED]);
    this.#limit = KEPT;
  }
}

function isWorker(): boolean {
  return "DedicatedWorkerGlobalScope" in globalThis;
}

let shared: Arena | undefined;

/** The arena of this isolate, mapped at the first call and kept for its life. */
export function arena(): Arena {
  return shared ??= new Arena();
}

/** Runs `use` and frees what was allocated meanwhile, whatever it throws; returns what it returns. */
export function inFrame<Result>(use: (memory: Arena) => Result): Result {
  const memory = arena(), mark = memory.mark();
  try {
    return use(memory);
  } finally {
    memory.release(mark);
  }
}

/** A copy of the bytes at an address, however many. */
export function bytesAt(address: bigint, size: number): Uint8Array<ArrayBuffer> {
  const PART = 1 << 20, copy = new Uint8Array(size);
  for (let done = 0; done < size; done += PART) {
    inFrame((memory) => {
      const part = Math.min(PART, size - done), at = memory.copyIn(address + BigInt(done), part);
      copy.set(memory.bytes.subarray(at, at + part), done);
    });
  }
  return copy;
}
