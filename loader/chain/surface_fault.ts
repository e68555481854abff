import { hasFault, rethrowFault } from "../../ffi/fault.ts";

/**
 * Throws what a callback threw while a chain was being made. The chain, if one
 * came of it, is destroyed first: nobody will get to own it.
 */
export function surfaceFault(chain: { destroy(allocator: bigint): void } | number, allocator: bigint): void {
  if (!hasFault()) return;
  if (typeof chain !== "number") chain.destroy(allocator);
  rethrowFault();
}
