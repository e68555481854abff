import type { StampSpec } from "../emit/emitter.ts";
import { coreImage, declareStamps, stampAddress as emittedStamp, stampSpec } from "../image/core.ts";
import { portableSetLoaderData, portableStamp } from "../portable/stamp.ts";
export { declareStamps };
export type { StampSpec };

/**
 * Address of a terminator named with {@linkcode declareStamps}: a function that
 * calls the same command at `hiddenOffset` of its first argument's dispatch
 * table and, if that succeeds, stores the table's address in word 0 of every
 * handle returned. Callable from any thread.
 */
export function stampAddress(name: string): bigint {
  return emittedStamp(name) ?? portableStamp(stampSpec(name)!);
}

/**
 * Address of `VkResult setLoaderData(void *holder, void *object)`, which copies
 * the dispatch key of `holder` to `object` and returns `VK_SUCCESS`. Layers get
 * this function as vkSetInstanceLoaderData and vkSetDeviceLoaderData.
 */
export function setLoaderDataAddress(): bigint {
  return coreImage()?.image.address("setLoaderData") ?? portableSetLoaderData();
}
