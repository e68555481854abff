import type { BlobCache } from "./cache/blob_cache.ts";
import { useCache } from "./cache/install.ts";
import { openScope } from "./api/load_egl.ts";
import { installEgl } from "./install/install.ts";
import { layered, type LayeredEglOptions } from "./layers/install.ts";
import { installWindows, type WindowedEgl } from "./window/install.ts";

/** Settings of {@linkcode loadEgl}. */
export interface LoadEglOptions extends LayeredEglOptions {
  /**
   * A cache from `openBlobCache()`, in which a driver with EGL_ANDROID_blob_cache keeps compiled programs from one
   * process to the next. The caller keeps and closes the cache. Default: no cache. If the driver cannot use the cache,
   * `log` gets a sentence.
   */
  readonly blobCache?: BlobCache;
}

/**
 * Opens an EGL and OpenGL ES driver and puts Android's loader on top of the driver, with layers, and with window
 * surfaces for drivers that do not know Android's windows. Several loaders with different drivers can exist at the same
 * time; each has its own current objects, on the thread of the isolate that opened it.
 *
 * @throws when the driver, or a layer of the option `layers`, cannot be used; the message says what was found and what
 * to do.
 *
 * @example
 * ```ts ignore
 * import { loadEgl } from "@pumice/gfx/egl";
 *
 * using egl = loadEgl();
 * const display = egl.eglGetDisplay(0n);
 * console.log(egl.eglInitialize(display));
 * ```
 */
export function loadEgl(options: LoadEglOptions = {}): WindowedEgl {
  const scope = openScope(options);
  try {
    if (options.blobCache) useCache(scope.state, options.blobCache);
    const value = installWindows(scope), egl = layered(scope, options);
    scope.install = () => installEgl(scope);
    return Object.defineProperty(egl, "windows", { value }) as WindowedEgl;
  } catch (error) {
    scope.egl.close();
    throw error;
  }
}
