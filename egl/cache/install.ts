import { readCString } from "../../ffi/cstring.ts";
import { invokeAddress } from "../../ffi/invoke.ts";
import type { Display } from "../api/display.ts";
import type { State } from "../api/state.ts";
import type { EglDriver } from "../driver/egl_driver.ts";
import { EGL_EXTENSIONS, EGL_SUCCESS } from "../gen/egl_constants_gen.js";
import type { BlobCache } from "./blob_cache.ts";
import { blobCacheCallbacks } from "./callbacks.ts";

const TOKEN = "EGL_ANDROID_blob_cache", FUNCTION = "eglSetBlobCacheFuncsANDROID";

/** A cache that a display uses. */
export interface InstalledBlobCache {
  /** The cache. */
  readonly cache: BlobCache;
  /**
   * For the moment before the display is terminated: saves the cache, and later lookups of the driver find no value. A
   * second call does nothing.
   */
  close(): void;
  /** Closes, and frees the functions that the driver had. To be called after the driver has terminated the display. */
  free(): void;
}

/** The result of installing a cache. */
export type BlobCacheInstallation = InstalledBlobCache | {
  /** Why the driver does not use the cache, as a sentence without a full stop. */
  readonly refusal: string;
};

/**
 * Gives a driver a cache for a display that was just initialized. Only a driver that lists EGL_ANDROID_blob_cache gets
 * the cache: other drivers return a function all the same, whose call ends the process. The caller keeps and closes the
 * cache. The thread's EGL error is reset.
 *
 * @example
 * ```ts ignore
 * import { findEglDriver, installBlobCache, openBlobCache } from "@pumice/gfx/egl";
 *
 * using cache = openBlobCache();
 * using found = findEglDriver();
 * const display = 1n; // the driver's own EGLDisplay, which is initialized
 * const installed = installBlobCache(found.driver, display, cache);
 * if ("refusal" in installed) console.log(installed.refusal);
 * else installed.close();
 * ```
 */
export function installBlobCache(
  driver: Pick<EglDriver, "find">,
  display: bigint,
  cache: BlobCache,
): BlobCacheInstallation {
  const extensions = readCString(call(driver, "eglQueryString", "q:qs", display, EGL_EXTENSIONS) as bigint);
  if (!extensions.split(" ").includes(TOKEN)) return { refusal: `the driver does not list ${TOKEN}` };
  const setter = driver.find(FUNCTION, "egl");
  if (setter === 0n) return { refusal: `the driver lists ${TOKEN}, but has no ${FUNCTION}` };
  const callbacks = blobCacheCallbacks(cache);
  // void eglSetBlobCacheFuncsANDROID(EGLDisplay display, EGLSetBlobFuncANDROID set, EGLGetBlobFuncANDROID get)
  call(driver, "eglGetError", "s:");
  invokeAddress(setter, "v:qqq", [display, callbacks.set, callbacks.get]);
  const error = Number(call(driver, "eglGetError", "s:"));
  if (error !== EGL_SUCCESS) {
    callbacks.free();
    return { refusal: `${FUNCTION} failed: 0x${error.toString(16)}` };
  }
  const close = () => {
    callbacks.close();
    cache.save();
  };
  return { cache, close, free: () => (close(), callbacks.free()) };
}

function call(driver: Pick<EglDriver, "find">, name: string, signature: string, ...args: (number | bigint)[]) {
  const address = driver.find(name, "egl");
  return address === 0n ? 0n : invokeAddress(address, signature, args);
}

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
