import { NativeError } from "./error.ts";
import { libc } from "./libc.ts";

/**
 * Bytes of address space to reserve. The system provides the memory when it is
 * first used. V8 counts all of it as used: for 1 GiB, it collects garbage at
 * once, which takes 3 ms of a program's start.
 */
export const ARENA_MOST: number = 1 << 29;
/** The fewest bytes to accept where address space is scarce. */
const LEAST = 1 << 24;

/**
 * The range for the arena, in GiB: neither programs nor the system's own choice
 * of addresses use it, so that a program of this machine has room at the same
 * place.
 */
const USUAL: Places = { first: 0x4000, count: 0x4000 };
/**
 * The same for programs whose kernel gives them 39 bits of addresses (512 GiB),
 * as those of most phones do: such programs have their own code at two thirds of
 * it, and libraries and stacks at its end.
 */
const NARROW: Places = { first: 64, count: 192 };
/** The end of addresses of 39 bits, and how often a place there is looked for. */
const NARROW_END = 1n << 39n, TRIES = 16;

/** Addresses to choose from, in GiB. */
interface Places {
  readonly first: number;
  readonly count: number;
}

/** The mapped memory of the arena. */
export interface ArenaMemory {
  /** Address of offset 0. */
  readonly base: bigint;
  /** The memory as a buffer that stays valid. */
  readonly buffer: ArrayBuffer;
}

let mapped: ArenaMemory | undefined;

/** The memory of the arena, mapped at the first call and kept for the life of the isolate. */
export function arenaMemory(): ArenaMemory {
  return mapped ??= map();
}

/**
 * Puts the arena where programs with 39 bits of addresses have room, too: to be
 * called before anything else uses the arena.
 *
 * @throws {NativeError} `unsupported` if the arena is elsewhere already, or
 *   there is no room.
 */
export function placeArenaFor39Bits(): void {
  for (let left = TRIES; left > 0 && !mapped; left--) {
    const base = reserve(ARENA_MOST, NARROW);
    if (base === undefined) continue;
    if (base + BigInt(ARENA_MOST) <= NARROW_END) mapped = memoryAt(base, ARENA_MOST);
    else libc().munmap(base, BigInt(ARENA_MOST));
  }
  if (mapped && mapped.base + BigInt(mapped.buffer.byteLength) <= NARROW_END) return;
  throw new NativeError(
    "unsupported",
    mapped
      ? "Cannot serve programs with 39 bits of addresses: this isolate's memory is elsewhere already; " +
        'call serveLayers({ runsOn: "aarch64-android" }) before anything else, or in a Worker'
      : `Cannot serve programs with 39 bits of addresses: there is no room for ${ARENA_MOST} bytes below ${NARROW_END}`,
  );
}

/**
 * Puts the arena at an address, where a program that has never met this process
 * expects it: to be called before anything else uses the arena.
 *
 * @throws {NativeError} `unsupported` if the arena is elsewhere already, or
 *   there is no room.
 */
export function placeArenaAt(base: bigint): void {
  if (!mapped) {
    const at = libc().mmap(base, BigInt(ARENA_MOST), READ_WRITE, PRIVATE_IF_FREE, -1, 0n);
    if (at === base) mapped = memoryAt(base, ARENA_MOST);
    else if (at !== 0xffff_ffff_ffff_ffffn) libc().munmap(at, BigInt(ARENA_MOST));
  }
  if (mapped?.base === base && mapped.buffer.byteLength === ARENA_MOST) return;
  throw new NativeError(
    "unsupported",
    mapped
      ? "Cannot serve programs with the keys of a file: this isolate's memory is elsewhere already; " +
        "call serveLayers({ keyFile }) before anything else, or in a Worker"
      : `Cannot serve programs with these keys: 0x${base.toString(16)} is in use here; use another file of keys`,
  );
}

function memoryAt(base: bigint, size: number): ArenaMemory {
  return { base, buffer: Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(base)!, size) };
}

function map(): ArenaMemory {
  for (let size = ARENA_MOST;; size /= 2) {
    const base = reserve(size, USUAL);
    if (base === undefined && size > LEAST) continue;
    if (base === undefined) throw noRoom();
    return memoryAt(base, size);
  }
}

function noRoom(): NativeError {
  const what = `Cannot map ${LEAST * 2} bytes for the arena`;
  return new NativeError("out-of-memory", `${what}: raise the address space limit (ulimit -v)`);
}

/** PROT_READ | PROT_WRITE; MAP_SHARED | MAP_FIXED; MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE */
const READ_WRITE = 3, SHARED_HERE = 0x11, PRIVATE_HERE = 0x4032;
/** The last one with MAP_FIXED_NOREPLACE instead; a kernel that does not know it takes the address as advice. */
const PRIVATE_IF_FREE = 0x10_4022;

/**
 * Exchanges the memory of the arena, whose first `used` bytes count, for that
 * of a file at an offset, or for the process's own again (`undefined`). The
 * addresses and the contents stay. Throws a {@linkcode NativeError}
 * `out-of-memory` if the system refuses.
 */
export function exchangeArenaMemory(
  used: number,
  file?: { readonly descriptor: number; readonly offset: number },
): void {
  const { base, buffer } = arenaMemory(), bytes = new Uint8Array(buffer), kept = bytes.slice(0, used);
  const flags = file ? SHARED_HERE : PRIVATE_HERE, size = BigInt(buffer.byteLength);
  const at = libc().mmap(base, size, READ_WRITE, flags, file?.descriptor ?? -1, BigInt(file?.offset ?? 0));
  if (at !== base) throw new NativeError("out-of-memory", `Cannot share the arena's ${size} bytes: free memory`);
  bytes.set(kept);
}

/**
 * Maps `size` bytes, a power of two, at a multiple of `size`, so that all
 * addresses share their high 32 bits. Maps twice as much and gives the rest
 * back.
 */
function reserve(size: number, { first, count }: Places): bigint | undefined {
  const PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x4022, unit = BigInt(size);
  const wanted = BigInt(first + Math.floor(Math.random() * count)) << 30n;
  const start = libc().mmap(wanted, 2n * unit, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0n);
  if (start === 0xffff_ffff_ffff_ffffn) return undefined;
  const base = (start + unit - 1n) / unit * unit, before = base - start;
  if (before > 0n) libc().munmap(start, before);
  libc().munmap(base + unit, unit - before);
  return base;
}

/** File descriptors of this process for the pages of a process. */
export interface PageFiles {
  /** A userfaultfd that the process made. */
  readonly fault: number;
  /** The process's `/proc/PID/pagemap`. */
  readonly pagemap: number;
}

/**
 * Memory that is not this process's, such as that of a program whose call is
 * being answered. Addresses in the arena are this process's own in any case.
 * Each function throws a `TypeError` for addresses without memory.
 */
export interface OtherMemory {
  /** The kernel's files that tell which pages of the memory were written; `undefined` where it does not. */
  readonly pages?: PageFiles;
  /** Reads up to eight bytes as a number. */
  peek(address: bigint, size: 1 | 2 | 4): number;
  /** Reads the u64 at an address. */
  peek64(address: bigint): bigint;
  /** Stores the low bytes of a value. */
  poke(address: bigint, size: 1 | 2 | 4 | 8, value: bigint): void;
  /** Copies bytes, from and to addresses of this memory or of the arena. */
  copy(to: bigint, from: bigint, size: number): void;
  /** Reads a text up to its NUL, at most `most` bytes. */
  text(address: bigint, most: number): string;
  /** Whether there is memory at the first and the last byte. */
  isMapped(address: bigint, size: number): boolean;
}

let current: OtherMemory | undefined;

/** Returns the memory that addresses belong to now; `undefined` for this process's own. */
export function otherMemory(): OtherMemory | undefined {
  return current;
}

/** Sets the memory that addresses belong to; see `readFrom` in machine.ts, which also exchanges the functions there. */
export function setOtherMemory(memory: OtherMemory | undefined): void {
  current = memory;
}
