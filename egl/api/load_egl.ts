import { openLibraries } from "./system_driver.ts";
import type { Egl } from "./egl.ts";
import type { EglOptions } from "./options.ts";
import { EglScope } from "./scope.ts";
import { State } from "./state.ts";

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
  const { driver = "libEGL.so.1" } = options;
  const opened = typeof driver === "string" ? openLibraries(driver, "libGLESv1_CM.so.1", "libGLESv2.so.2") : driver;
  try {
    return new EglScope(new State(opened, options));
  } catch (error) {
    opened.close();
    throw error;
  }
}
