import "../../ffi/image/assembler.ts";
import {
  anything,
  checkOptions,
  either,
  list,
  object,
  type OptionRules,
  text,
  typed,
  yesOrNo,
} from "../../ffi/check_options.ts";
import type { Finding } from "../../loader/driver/finding.ts";
import { findEglDriver } from "../driver/find.ts";
import type { Egl } from "./egl.ts";
import type { EglOptions } from "./options.ts";
import { EglScope } from "./scope.ts";
import { State } from "./state.ts";
import type { UsableDriver } from "./usable_driver.ts";

const DRIVER = 'a path, a list of paths, "auto", "angle" or an opened driver';
/** With the options of the rooms above. */
const RULES: OptionRules<EglOptions & { readonly layers?: unknown; readonly blobCache?: unknown }> = {
  driver: either(text(DRIVER), list(DRIVER, text(DRIVER)), (value) => isOpened(value as never) ? undefined : DRIVER),
  layers: list(
    "a list of layers",
    either(text("a path"), typed("what defineGlesLayer() returns, or a path", "object")),
  ),
  log: typed("a function that takes a sentence", "function"),
  wideColor: yesOrNo,
  hdr: yesOrNo,
  blobCache: object("what openBlobCache() returns"),
  native: object("an object of platform, display and attributes"),
  quirks: anything,
  platform: anything,
  rules: anything,
  release: anything,
  angle: anything,
  host: object("what Host describes"),
  root: typed("the path of a folder", "string"),
  properties: anything,
  settings: object("an object of settings by their names"),
  app: object("an object that says what application this is"),
  updatableDriver: either(text("a path"), object("a path, or { gpuService }")),
};

/**
 * Opens an EGL and OpenGL ES driver and puts Android's loader on top of it.
 * Several loaders with different drivers live side by side; what is current is
 * so for one of them, on the thread of the isolate that opened it.
 *
 * @throws {DriverError} when the driver cannot be used; the message says what was found and what to do.
 */
export function loadEgl(options: EglOptions = {}): Egl {
  return openScope(options).egl;
}

/** The same with all its parts, for the rooms above: layers, windows, the blob cache. */
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
  if (isOpened(driver)) return { driver, findings: [] };
  const { driver: found, findings, close } = findEglDriver({ ...options, driver });
  return { driver: { ...found, close, [Symbol.dispose]: close }, findings };
}

/** Paths come as a string or a list. */
function isOpened(driver: EglOptions["driver"]): driver is UsableDriver {
  return typeof driver === "object" && driver !== null && !Array.isArray(driver);
}
