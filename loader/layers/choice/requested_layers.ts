import { readCString } from "../../../ffi/cstring.ts";
import { peek32, peek64 } from "../../../ffi/machine.ts";

/** Where VkInstanceCreateInfo has its layers. */
const ENABLED_LAYER_COUNT = 32n, ENABLED_LAYER_NAMES = 40n;
/** VK_MAX_EXTENSION_NAME_SIZE, the NUL included. */
const MOST_BYTES = 256;

/**
 * The layers a VkInstanceCreateInfo names; `undefined` when it has a count and
 * no array, or a name that no layer can have: NULL, too long, or no UTF-8.
 */
export function requestedLayers(info: bigint): string[] | undefined {
  const count = peek32(info + ENABLED_LAYER_COUNT), array = peek64(info + ENABLED_LAYER_NAMES);
  if (count > 0 && array === 0n) return undefined;
  const names = Array.from({ length: count }, (_, index) => peek64(array + BigInt(8 * index)))
    .map((name) => readCString(name, MOST_BYTES));
  return names.every(isPossible) ? names : undefined;
}

/** What is no UTF-8 reads with replacement characters. */
function isPossible(name: string): boolean {
  return name !== "" && !name.includes("\ufffd") && new TextEncoder().encode(name).length < MOST_BYTES;
}
