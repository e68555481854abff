import type { BlobCache } from "./cache/blob_cache.ts";
import { useCache } from "./cache/use_cache.ts";
import { openScope } from "./api/load_egl.ts";
import { installEgl } from "./install/install.ts";
import { layered, type LayeredEglOptions } from "./layers/layered_egl.ts";
import { installWindows } from "./window/install.ts";
import type { WindowedEgl } from "./window/windowed_egl.ts";

/** What {@linkcode loadEgl} can be told. */
export interface LoadEglOptions extends LayeredEglOptions {
  /**
   * Where a driver with EGL_ANDROID_blob_cache keeps what it compiles, from one
   * process to the next: what `openBlobCache()` returns, which stays the
   * caller's. Default: nowhere. That a driver cannot use it is said to `log`.
   */
  readonly blobCache?: BlobCache;
}

/**
 * Opens an EGL and OpenGL ES driver and puts Android's loader on top of it,
 * with window surfaces over drivers that know no Android windows, and layers
 * between that and the application.
 * Several loaders with different drivers live side by side; what is current is
 * so for one of them, on the thread of the isolate that opened it.
 *
 * @throws {DriverError} when the driver, or a layer that is listed, cannot be used; the message says what was found and what to do.
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
