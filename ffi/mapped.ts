import { arena, inFrame } from "./arena.ts";
import { libcAddress } from "./libc.ts";
import { invoke } from "./machine.ts";

let pageSize = 0n, mincore = 0n;

/** Does what {@linkcode isMapped} needs to answer inside a callback, where none of Deno's operations may be called. */
export function prepareMapped(): void {
  isMapped(arena().base);
}

/**
 * Whether memory of this process begins and ends at these addresses: for
 * addresses that nobody vouches for. It may still be gone a moment later.
 */
export function isMapped(address: bigint, size = 1): boolean {
  pageSize ||= BigInt(invoke(libcAddress("getpagesize"), "s:", []) as number); // int getpagesize(void)
  const last = address + BigInt(Math.max(size, 1) - 1);
  return isPage(address) && (last / pageSize === address / pageSize || isPage(last));
}

/** Asks where the page is in memory, which fails if there is none. */
function isPage(address: bigint): boolean {
  if (address < pageSize || address >> 63n !== 0n) return false;
  return inFrame((memory) => {
    const answer = memory.alloc(1), page = address - address % pageSize;
    // int mincore(void *addr, size_t length, unsigned char *vec)
    const result = invoke(mincore ||= libcAddress("mincore"), "s:qqo", [page, pageSize, answer]) as number;
    return result === 0;
  });
}
