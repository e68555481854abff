import { arenaMemory } from "./arena_memory.ts";
import { NativeBlock } from "./block.ts";
import { LAST_CALL } from "./emit/layout.ts";
import { libcAddress } from "./libc.ts";
import { copyToArena, invokeAddress } from "./machine.ts";
import { callAtThreadEnd } from "./thread_end.ts";

/** The first offset that {@linkcode Arena.alloc} returns; 0 stands for NULL. */
const FIRST = 16;
/** Bytes that stay with the process once they were used. */
const KEPT = 1 << 24;
/**
 * Bytes that stay until {@linkcode RESTS} frames in a row did without: pages that are new for each call take as long as
 * writing structs to them. Memory above is given back at the end of the frame that used it.
 */
const SPARE = 1 << 26;
/** Frames without a use of more than the kept part, after which the spare part is given back. */
const RESTS = 4096;
/** Up to this many bytes are zeroed word by word. The engine's `fill` takes as long as ten words. */
const FEW = 64;

/** A payload with a mapping of its own. */
interface Outside {
  /** The payload's place in the stack. Freeing the place unmaps the payload. */
  readonly place: number;
  readonly block: NativeBlock;
}

/**
 * Native memory for structs and arrays that live as long as one call, seen
 * through one persistent view. Offsets are small integers; an address is formed
 * only where a pointer is stored. Allocation is a stack: take a
 * {@linkcode Arena.mark}, allocate, {@linkcode Arena.release} back to the mark.
 *
 * The arena reserves 512 MiB of address space, or less where the system grants
 * less. Memory is used from the bottom up. The part above 64 MiB goes back to
 * the system at the end of the frame that used it, and the part above 16 MiB
 * when thousands of frames did not use it again.
 */
export class Arena {
  /** Address of offset 0. The arena never crosses a 4 GiB line. */
  readonly base: bigint;
  /** Bytes in total. */
  readonly size: number;
  /** Low 32 bits of {@linkcode Arena.base}. */
  readonly low: number;
  /** High 32 bits of {@linkcode Arena.base}, the same for every address in the arena. */
  readonly high: number;
  /** The whole arena as a view. What native code writes can be read here. */
  readonly view: DataView;
  /** The whole arena as bytes. */
  readonly bytes: Uint8Array;
  #top = FIRST;
  /**
   * The next allocation beyond this offset needs a closer look: the end of the
   * kept part, then of the spare part, then of the arena.
   */
  #limit: number;
  /** Frames that may still do without the spare part before the system gets it; 0 when the system has it. */
  #rests = 0;
  /** Whether the end of a frame may have to give memory back. */
  #owes = false;
  #outside: Outside[] = [];

  /** Makes the view of the arena's memory. There is one arena per isolate: use {@linkcode arena}. */
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

  /**
   * Reserves `size` bytes, 16-aligned, contents undefined, and returns their
   * offset. Throws a `RangeError` if there is no room.
   */
  alloc(size: number): number {
    const offset = this.#top;
    // The size is compared before any 32-bit arithmetic, which would turn a large number into a small one.
    if (!(size >= 0 && size <= this.#limit - offset)) this.#reach(size);
    this.#top = offset + ((size + 15) & ~15);
    return offset;
  }

  /** Fills the allocation at `offset` with zeros, in whole words of eight bytes. */
  zero(offset: number, size: number): void {
    const end = offset + size;
    if (size > FEW) this.bytes.fill(0, offset, end);
    else for (let at = offset; at < end; at += 8) this.view.setFloat64(at, 0);
  }

  /** Returns the current top, for a later {@linkcode Arena.release}. */
  mark(): number {
    return this.#top;
  }

  /** Whether `size` bytes from an offset on belong to frames that are still open. */
  holds(offset: number, size: number): boolean {
    return offset >= 0 && offset + size <= this.#top;
  }

  /** Frees all allocations since `mark`, and the mappings of large payloads. */
  release(mark: number): void {
    this.#top = mark;
    if (this.#owes) this.#settle(mark);
  }

  /** Returns the native address of an offset; 0 stays 0 (NULL). */
  address(offset: number): bigint {
    return offset === 0 ? 0n : this.base + BigInt(offset);
  }

  /**
   * Copies bytes to native memory and returns the address. The memory lives
   * until the current top of the arena is released. A payload too large for the
   * arena gets a mapping of its own.
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

  /**
   * Copies `size` bytes at a foreign address into the arena and returns their
   * offset. The caller must know that the address is valid.
   */
  copyIn(address: bigint, size: number): number {
    const offset = this.alloc(size);
    copyToArena(offset, address, size);
    return offset;
  }

  /**
   * A process may have many Workers, one after the other. Native code unmaps
   * the memory when a Worker ends, because no other code runs then.
   */
  #goWithThread(): void {
    const at = this.alloc(LAST_CALL.size);
    this.view.setBigUint64(at + LAST_CALL.target, libcAddress("munmap"), true);
    this.view.setBigUint64(at + LAST_CALL.first, this.base, true);
    this.view.setBigUint64(at + LAST_CALL.second, BigInt(this.size), true);
    callAtThreadEnd("callLast", this.address(at));
  }

  /** Lets a frame use more than the kept part, and more than the spare part only if it must. */
  #reach(size: number): void {
    const left = this.size - this.#top;
    if (!(size >= 0 && size <= left)) {
      throw new RangeError(
        `Arena is full: ${size} bytes asked, ${left} left of ${this.size}; split the call, or pass addresses of your own memory (NativeBlock)`,
      );
    }
    this.#limit = size <= SPARE - this.#top ? Math.min(SPARE, this.size) : this.size;
    this.#owes = true;
  }

  #settle(mark: number): void {
    while (this.#outside.length > 0 && this.#outside.at(-1)!.place >= mark) this.#outside.pop()!.block.close();
    if (mark > KEPT) return;
    if (this.#limit > SPARE) this.#giveBack();
    else if (this.#limit > KEPT) this.#rests = RESTS;
    else if (this.#rests > 0 && --this.#rests === 0) this.#giveBack();
    this.#limit = KEPT;
    this.#owes = this.#outside.length > 0 || this.#rests > 0;
  }

  #giveBack(): void {
    const MADV_DONTNEED = 4;
    invokeAddress(libcAddress("madvise"), "s:qqs", [this.base + BigInt(KEPT), BigInt(this.size - KEPT), MADV_DONTNEED]);
    this.#rests = 0;
  }
}

function isWorker(): boolean {
  return "DedicatedWorkerGlobalScope" in globalThis;
}

let shared: Arena | undefined;

/**
 * Returns the arena of this isolate, mapped at the first call and kept for the life of the isolate.
 *
 * @example
 * ```ts
 * import { arena } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const memory = arena(), mark = memory.mark(), offset = memory.alloc(4);
 * memory.view.setUint32(offset, 7, true);
 * assertEquals(memory.copyIn(memory.address(offset), 4) !== offset, true);
 * memory.release(mark);
 * ```
 */
export function arena(): Arena {
  return shared ??= new Arena();
}

/** Calls `use`, frees the arena memory that `use` allocated, even after an error, and returns the result. */
export function inFrame<Result>(use: (memory: Arena) => Result): Result {
  const memory = arena(), mark = memory.mark();
  try {
    return use(memory);
  } finally {
    memory.release(mark);
  }
}

/** Puts byte arrays one behind the other. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Returns a copy of the bytes at an address, of any size. */
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

/** Bytes in hexadecimal, two digits each. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
