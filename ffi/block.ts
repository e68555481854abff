import { NativeError } from "./error.ts";
import { libc } from "./libc.ts";

/** Native memory and its address. */
export interface Memory {
  /** Address of the first byte. */
  readonly address: bigint;
  /** All bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Keeps the memory of closed blocks for later blocks of an owner. */
export interface MemoryReserve {
  /** Returns zeroed memory of exactly this size; `undefined` if none is kept. */
  take(size: number): Memory | undefined;
  /** Takes the memory of a closed block over, and detaches its bytes. Returns `false` if it has to be unmapped. */
  keep(memory: Memory): boolean;
}

/**
 * Bytes of the stock and of the units that it is divided into. The system
 * provides the memory when it is first used.
 */
const SIZE = 1 << 24, UNIT = 1 << 12;

/** Mapped memory that is handed out in units. */
class Stock {
  readonly #memory: Memory = mapMemory(SIZE);
  readonly #used = new Uint8Array(SIZE / UNIT);

  take(size: number): Memory | undefined {
    const count = Math.ceil(size / UNIT), first = this.#room(count);
    if (first < 0) return undefined;
    this.#used.fill(1, first, first + count);
    const { address, bytes } = this.#memory, offset = first * UNIT;
    return { address: address + BigInt(offset), bytes: bytes.subarray(offset, offset + size) };
  }

  give(address: bigint, bytes: Uint8Array): boolean {
    const { buffer } = this.#memory.bytes;
    if (bytes.buffer !== buffer) return false;
    const first = Number(address - this.#memory.address) / UNIT;
    bytes.fill(0);
    this.#used.fill(0, first, first + Math.ceil(bytes.length / UNIT));
    return true;
  }

  /** Returns the first of `count` free units in a row; -1 if there are none. */
  #room(count: number): number {
    let first = 0;
    for (let unit = 0; unit < this.#used.length; unit++) {
      if (this.#used[unit]) first = unit + 1;
      else if (unit - first + 1 === count) return first;
    }
    return -1;
  }
}

let stock: Stock | undefined;

/**
 * Maps memory, once and for good, from which later blocks are taken. Memory
 * cannot be mapped inside a callback that Deno itself caused, where no
 * operation of Deno may be called. When the stock is used up, blocks are mapped
 * as usual.
 */
export function stockBlocks(): void {
  stock ??= new Stock();
}

/** Takes zeroed memory from the stock. Returns `undefined` if there is no stock or no room in it. */
export function takeFromStock(size: number): Memory | undefined {
  return stock?.take(size);
}

/** Gives memory back to the stock. Returns `false` if the memory is not from the stock. */
function giveToStock(address: bigint, bytes: Uint8Array): boolean {
  return stock?.give(address, bytes) ?? false;
}

/** Maps `size` zeroed bytes. Throws a {@linkcode NativeError} `out-of-memory` if the system refuses. */
export function mapMemory(size: number): Memory {
  const PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22;
  const address = libc().mmap(0n, BigInt(size), PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n);
  if (address === 0xffff_ffff_ffff_ffffn) {
    throw new NativeError("out-of-memory", `Cannot map ${size} bytes: free memory or raise the limit (ulimit -v)`);
  }
  const buffer = Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size);
  return { address, bytes: new Uint8Array(buffer as ArrayBuffer) };
}

/** Unmaps memory, whose bytes are then detached. */
export function unmapMemory({ address, bytes }: Memory): void {
  const { length } = bytes;
  if (!bytes.buffer.detached) bytes.buffer.transfer(0);
  libc().munmap(address, BigInt(length));
}

/** Bytes of lasting memory that are mapped at once, and the alignment of its blocks: a line of the processor's cache. */
const PIECE = 1 << 16, LINE = 64;

/**
 * Memory that stays for the life of the process, because machine code may read
 * it when the isolate has ended. Blocks share what is mapped: a block of its
 * own page would be a mapping of its own.
 */
class LastingMemory implements MemoryReserve {
  #piece: Memory | undefined;
  #used = 0;

  /** Returns zeroed memory, mapped for a block alone if the block is large. Safe inside callbacks while there is a stock. */
  take(size: number): Memory {
    if (size > PIECE / 4) return takeFromStock(size) ?? mapMemory(size);
    if (!this.#piece || this.#used + size > PIECE) {
      this.#piece = takeFromStock(PIECE) ?? mapMemory(PIECE);
      this.#used = 0;
    }
    const { address, bytes } = this.#piece, at = this.#used;
    this.#used = Math.ceil((at + size) / LINE) * LINE;
    return { address: address + BigInt(at), bytes: bytes.subarray(at, at + size) };
  }

  /** Nothing that lasts is unmapped. */
  keep(): boolean {
    return true;
  }
}

/** The reserve for blocks that are never closed. */
export const LASTING: MemoryReserve = new LastingMemory();

/** Sizes of the open blocks by address. */
const open = new Map<bigint, number>();

/**
 * Returns how many {@linkcode NativeBlock}s are open now. A program that closes
 * all its blocks gets back to the first number.
 */
export function openBlocks(): number {
  return open.size;
}

/** Whether the bytes at an address lie in an open {@linkcode NativeBlock}. Searches all blocks. */
export function isInBlock(address: bigint, size: number): boolean {
  for (const [start, length] of open) {
    if (address >= start && address + BigInt(size) <= start + BigInt(length)) return true;
  }
  return false;
}

/** Native memory with an owner: zeroed at first, and at a fixed address until closed. */
export class NativeBlock {
  /** Address of the first byte; a multiple of 4096, and of 64 in a reserve that lasts. */
  readonly address: bigint;
  /** Usable bytes. */
  readonly size: number;
  /** The memory as bytes; empty after {@linkcode NativeBlock.close}. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The memory as a `DataView`. Its methods throw a `TypeError` after {@linkcode NativeBlock.close}. */
  readonly view: DataView;
  readonly #reserve: MemoryReserve | undefined;
  #open = true;

  /**
   * Takes `size` bytes from the owner's reserve or from the stock, if there is
   * one (see {@linkcode stockBlocks}); maps them otherwise. Throws a
   * {@linkcode NativeError} `out-of-memory` if the system refuses.
   */
  constructor(size: number, reserve?: MemoryReserve) {
    const { address, bytes } = reserve?.take(size) ?? takeFromStock(size) ?? mapMemory(size);
    this.#reserve = reserve;
    open.set(address, size);
    this.address = address;
    this.size = size;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, size);
  }

  /** Unmaps the memory, unless the reserve keeps it. A second call does nothing. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    open.delete(this.address);
    if (giveToStock(this.address, this.bytes)) return; // the stock stays mapped
    if (!this.#reserve?.keep(this)) unmapMemory(this);
  }

  /** Unmaps the memory at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}
