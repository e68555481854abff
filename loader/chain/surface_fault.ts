import { hasFault, rethrowFault } from "../../ffi/fault.ts";

/**
 * Throws the error of a callback during the creation of a chain. Destroys the
 * chain first, if there is one, because nobody will own it.
 */
export function surfaceFault(chain: { destroy(allocator: bigint): void } | number, allocator: bigint): void {
  if (!hasFault()) return;
  if (typeof chain !== "number") chain.destroy(allocator);
  rethrowFault();
}
