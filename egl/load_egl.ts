import { openScope } from "./api/load_egl.ts";
import { installEgl } from "./install/install.ts";
import { layered, type LayeredEgl, type LayeredEglOptions } from "./layers/layered_egl.ts";

/**
 * Opens an EGL and OpenGL ES driver, puts Android's loader on top of it, and
 * layers between that and the application.
 * Several loaders with different drivers live side by side; what is current is
 * so for one of them, on the thread of the isolate that opened it.
 *
 * @throws {DriverError} when the driver, or a layer that is listed, cannot be used; the message says what was found and what to do.
 */
export function loadEgl(options: LayeredEglOptions = {}): LayeredEgl {
  const scope = openScope(options);
  try {
    const egl = layered(scope, options);
    scope.install = () => installEgl(scope);
    return egl;
  } catch (error) {
    scope.egl.close();
    throw error;
  }
}
