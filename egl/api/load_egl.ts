import "../../ffi/image/assembler.ts";
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
} from "../../ffi/check_options.ts";
import type { Finding } from "../../loader/driver/report/finding.ts";
import { DRIVER, EGL_DRIVER_RULES, eglDriverChoice } from "../driver/options.ts";
import { openChoice } from "../driver/find.ts";
import type { Egl } from "./egl.ts";
import type { EglOptions, UsableDriver } from "./options.ts";
import { EglScope } from "./scope.ts";
import { State } from "./state.ts";

/** The rules of the options, with those of the rooms above. */
const RULES: OptionRules<
  EglOptions & { readonly layers?: unknown; readonly foreignCalls?: unknown; readonly blobCache?: unknown }
> = {
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
  const choice = eglDriverChoice<UsableDriver>(driver);
  if (choice.kind === "opened") return { driver: choice.driver, findings: [] };
  const { driver: found, findings, close } = openChoice(choice, optionsOf(options, EGL_DRIVER_RULES));
  return { driver: { ...found, close, [Symbol.dispose]: close }, findings };
}
