import { coreImage } from "../../ffi/image/core.ts";

/**
 * Address of a function for {@linkcode CallRingOptions.extra} of a ring whose thunk
 * is a `PFN_vkDebugUtilsMessengerCallbackEXT`. The function copies the message
 * with all its strings and lists, as far as there is room. 0n where emitted
 * code cannot be used.
 */
export function messageCopy(): bigint {
  return coreImage()?.image.address("copyMessage") ?? 0n;
}
