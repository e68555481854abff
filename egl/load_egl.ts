import "../ffi/image/assembler.ts";
import type { BlobCache } from "./cache/blob_cache.ts";
import { useCache } from "./cache/install.ts";
import { installEgl } from "./install/install.ts";
import { layered, type LayeredEglOptions } from "./layers/install.ts";
import { installWindows, type WindowedEgl } from "./window/install.ts";
import {
  checkOptions,
  either,
  list,
  number,
  object,
  oneOf,
  type OptionRules,
  optionsOf,
  text,
  typed,
  yesOrNo,
} from "../ffi/check_options.ts";
import type { Finding } from "../loader/driver/report/finding.ts";
import { DRIVER, EGL_DRIVER_RULES, eglDriverChoice } from "./driver/options.ts";
import { openChoice } from "./driver/find.ts";
import type { EglOptions, UsableDriver } from "./api/options.ts";
import { EglScope } from "./api/scope.ts";
import { State } from "./api/state.ts";

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

/** The rules of the options. */
const RULES: OptionRules<LoadEglOptions> = {
  ...EGL_DRIVER_RULES,
  driver: either(
    text(DRIVER),
    list(DRIVER, typed("a path, or an empty text for none", "string")),
    object(DRIVER),
  ),
  layers: list(
    "a list of layers",
    either(text("a path"), typed("what defineGlesLayer() returns, or a path", "object")),
  ),
  foreignCalls: number,
  wideColor: yesOrNo,
  hdrDisplay: yesOrNo,
  blobCache: object("what openBlobCache() returns"),
  native: object("an object of platform, display and attributes"),
  quirks: oneOf("aosp"),
};

/** Opens a driver and puts the loader alone on top of the driver, without layers, windows and a blob cache. */
export function openScope(options: EglOptions = {}): EglScope {
  checkOptions("loadEgl()", options, RULES);
  const { driver, findings } = opened(options);
  try {
    return new EglScope(new State(driver, options), findings);
  } catch (error) {
    driver.close();
    throw error;
  }
}

function opened({ driver, ...options }: EglOptions): { driver: UsableDriver; findings: readonly Finding[] } {
  const choice = eglDriverChoice<UsableDriver>(driver);
  if (choice.kind === "opened") return { driver: choice.driver, findings: [] };
  const { driver: found, findings, close } = openChoice(choice, optionsOf(options, EGL_DRIVER_RULES));
  return { driver: { ...found, close, [Symbol.dispose]: close }, findings };
}
