import { NativeError } from "./error.ts";
import { libc } from "./libc.ts";

/** Bytes of the arena; small enough that offsets stay unboxed integers in V8 and no collection is provoked. */
export const ARENA_SIZE = 1 << 24;

/** The mapped memory of the arena. */
export interface ArenaMemory {
  /** Address of offset 0. */
  readonly base: bigint;
  /** The memory, seen for good. */
  readonly buffer: ArrayBuffer;
}

let mapped: ArenaMemory | undefined;

/** The memory of the arena, mapped at the first call and kept for the life of the process. */
export function arenaMemory(): ArenaMemory {
  return mapped ??= map();
}

function map(): ArenaMemory {
  const base = mapWithin4GiB(ARENA_SIZE);
  return { base, buffer: Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(base)!, ARENA_SIZE) };
}

/** Maps `size` bytes that share their high 32 address bits: twice as much is reserved, one half always qualifies. */
function mapWithin4GiB(size: number): bigint {
  const PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x4022;
  const start = libc().mmap(0n, BigInt(size * 2), PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0n);
  if (start === 0xffff_ffff_ffff_ffffn) {
    throw new NativeError(
      "out-of-memory",
      `Cannot map ${size * 2} bytes for the arena: raise the address space limit (ulimit -v)`,
    );
  }
  const last = start + BigInt(size) - 1n;
  return start >> 32n === last >> 32n ? start : (last >> 32n) << 32n;
}
