import { readCString } from "../../ffi/cstring.ts";
import { invokeAddress } from "../../ffi/invoke.ts";
import type { EglDriver } from "../driver/egl_driver.ts";
import type { BlobCache } from "./blob_cache.ts";
import { blobCacheCallbacks } from "./callbacks.ts";
import { EGL_EXTENSIONS, EGL_SUCCESS } from "../gen/egl_constants_gen.ts";

const TOKEN = "EGL_ANDROID_blob_cache", FUNCTION = "eglSetBlobCacheFuncsANDROID";

/** A cache in use for a display. */
export interface InstalledBlobCache {
  /** The cache. */
  readonly cache: BlobCache;
  /** When the display is about to be terminated: saves, and lets the driver find nothing any more. A second call does nothing. */
  close(): void;
  /** When the driver has terminated the display: closes, and gives back the functions it had. */
  free(): void;
}

/** What came of installing a cache. */
export type BlobCacheInstallation = InstalledBlobCache | {
  /** Why the driver does not use it, as a sentence without a full stop. */
  readonly refusal: string;
};

/**
 * Lets a driver use a cache for a display that was just initialized. Only a
 * driver that lists EGL_ANDROID_blob_cache is asked: others give out a function
 * all the same and end the process when it is called. The cache stays the
 * caller's. The EGL error of the thread is reset.
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
