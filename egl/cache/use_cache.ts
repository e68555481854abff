import type { Display } from "../api/display.ts";
import type { State } from "../api/state.ts";
import type { BlobCache } from "./blob_cache.ts";
import { installBlobCache, type InstalledBlobCache } from "./install.ts";

/** Lets a driver use a cache for every display from its initialization to its termination. The cache stays the caller's. */
export function useCache(state: State, cache: BlobCache): void {
  const inUse = new Map<Display, InstalledBlobCache>();
  state.onInitialize.push((display) => {
    const came = installBlobCache(state.driver, display.handle, cache);
    if ("refusal" in came) state.options.log?.(`the blob cache is not used: ${came.refusal}`);
    else inUse.set(display, came);
  });
  state.onTerminate.push((display) => inUse.get(display)?.close());
  state.onTerminated.push((display, isGone) => {
    // A driver whose display lives on for another loader still knows the functions: they stay, and find nothing.
    if (isGone) inUse.get(display)?.free();
    inUse.delete(display);
  });
}
