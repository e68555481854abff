import type { EglScope } from "../api/scope.ts";
import type { InstalledEgl } from "../api/installed.ts";
import { CLIENT_LIBRARIES } from "./libraries.ts";
import { followDispatch } from "./follow_dispatch.ts";
import { connectModule } from "./module.ts";

/**
 * Puts a loader in the place of the system's EGL and OpenGL ES. Every exported
 * function is a jump to what eglGetProcAddress gives for its name: a function
 * of the loader's own, or the entrance of a command of OpenGL ES, which leads to
 * the hooks of the current context. Throws as {@linkcode connectModule} does.
 */
export function installEgl(scope: EglScope): InstalledEgl {
  const { procAddresses, state } = scope;
  followDispatch(scope);
  const disconnect = connectModule((name) => procAddresses.find(name), adviceFor(state.driver.libraries));
  let installed = true;
  const uninstall = () => {
    if (installed) disconnect();
    installed = false;
  };
  state.onClose.push(uninstall);
  return { uninstall, [Symbol.dispose]: uninstall };
}

/** What to do where a name is taken: by the driver itself, when that is the system's front. */
function adviceFor(driver: readonly string[]): string {
  const names = driver.map((path) => path.slice(path.lastIndexOf("/") + 1));
  const own = CLIENT_LIBRARIES.find(({ soname }) => names.includes(soname))?.soname;
  return own
    ? `"${own}" is the driver of this loader, and cannot be found under that name and be replaced: ` +
      "name a vendor's library, such as libEGL_mesa.so.0, or ANGLE by its path"
    : "call install() before anything that opens or links EGL";
}
