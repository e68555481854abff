import { type Core } from "../image/core.ts";
import { loadPrebuilt, PREBUILT } from "../image/prebuilt.ts";

/**
 * Has an isolate's callbacks closed when Deno takes leave of the isolate. Deno
 * drops what an isolate has opened, oldest first: its callbacks, and then
 * libraries whose last functions may call them. So this function must be called
 * before a callback is made: it opens an image that only Deno holds, and the
 * linker calls `takeLeave` when it unloads the image. The thread ends later.
 */
export function closeAtLeave({ image }: Core): void {
  const last = loadPrebuilt(PREBUILT!.LAST);
  if (!last) return;
  last.data.setBigUint64(PREBUILT!.LAST.slots.target, image.address("takeLeave"), true);
  Deno.dlopen(last.path, {});
  last.unload(); // Deno holds it still
}
