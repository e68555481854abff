import { readCString } from "../../ffi/cstring.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";

/** Where VkInstanceCreateInfo has its layers. */
const ENABLED_LAYER_COUNT = 32n, ENABLED_LAYER_NAMES = 40n;

/**
 * Whether a VkInstanceCreateInfo names only layers of this loader. Without
 * this, a layer that was asked for and is not there would be missed in silence.
 */
export function knowsRequestedLayers(info: bigint, known: readonly string[]): boolean {
  const count = peek32(info + ENABLED_LAYER_COUNT), names = peek64(info + ENABLED_LAYER_NAMES);
  if (count > 0 && names === 0n) return false;
  for (let i = 0; i < count; i++) {
    const name = peek64(names + BigInt(8 * i));
    if (name === 0n || !known.includes(readCString(name))) return false;
  }
  return true;
}
