import { arena, inFrame } from "./arena.ts";
import { libcAddress } from "./libc.ts";
import { invokeAddress } from "./machine.ts";
import { otherMemory } from "./arena_memory.ts";

let pageSize = 0n, mincore = 0n;

/** Prepares {@linkcode isMapped} for use inside a callback, where no operation of Deno may be called. */
export function prepareMapped(): void {
  isMapped(arena().base);
}

/** Whether addresses belong to this process now, and not to another one whose call is being answered. */
export function isOwnMemory(): boolean {
  return otherMemory() === undefined;
}

/**
 * Whether the memory at an address is mapped, tested at its first and last
 * byte. For addresses that may be wrong. The memory may be gone a moment later.
 */
export function isMapped(address: bigint, size = 1): boolean {
  const other = otherMemory();
  if (other) return other.isMapped(address, size);
  pageSize ||= BigInt(invokeAddress(libcAddress("getpagesize"), "s:", []) as number); // int getpagesize(void)
  const last = address + BigInt(Math.max(size, 1) - 1);
  return isPage(address) && (last / pageSize === address / pageSize || isPage(last));
}

/** Asks whether the page is in memory; the call fails if the page is not mapped. */
function isPage(address: bigint): boolean {
  if (address < pageSize || address >> 63n !== 0n) return false;
  return inFrame((memory) => {
    const answer = memory.alloc(1), page = address - address % pageSize;
    // int mincore(void *addr, size_t length, unsigned char *vec)
    const result = invokeAddress(mincore ||= libcAddress("mincore"), "s:qqo", [page, pageSize, answer]) as number;
    return result === 0;
  });
}
