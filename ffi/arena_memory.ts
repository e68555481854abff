import { NativeError } from "./error.ts";
import { libc } from "./libc.ts";

/**
 * Bytes of address space to reserve. The system provides the memory when it is
 * first used. V8 counts all of it as used: for 1 GiB, it collects garbage at
 * once, which takes 3 ms of a program's start.
 */
const MOST = 1 << 29;
/** The fewest bytes to accept where address space is scarce. */
const LEAST = 1 << 24;

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

function map(): ArenaMemory {
  for (let size = MOST;; size /= 2) {
    const base = reserve(size);
    if (base === undefined && size > LEAST) continue;
    if (base === undefined) throw noRoom();
    return { base, buffer: Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(base)!, size) };
  }
}

function noRoom(): NativeError {
  const what = `Cannot map ${LEAST * 2} bytes for the arena`;
  return new NativeError("out-of-memory", `${what}: raise the address space limit (ulimit -v)`);
}

/**
 * Maps `size` bytes, a power of two, at a multiple of `size`, so that all
 * addresses share their high 32 bits. Maps twice as much and gives the rest
 * back.
 */
function reserve(size: number): bigint | undefined {
  const PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x4022, unit = BigInt(size);
  const start = libc().mmap(0n, 2n * unit, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0n);
  if (start === 0xffff_ffff_ffff_ffffn) return undefined;
  const base = (start + unit - 1n) / unit * unit, before = base - start;
  if (before > 0n) libc().munmap(start, before);
  libc().munmap(base + unit, unit - before);
  return base;
}
