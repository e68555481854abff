import { exportLibrary } from "../../ffi/functions/exported.ts";
import { InstalledLibraries, type InstalledLibrary } from "../../ffi/functions/installed.ts";
import { returning } from "../../ffi/thunk/thunk.ts";
import type { EglScope } from "../api/scope.ts";
import type { InstalledEgl } from "../api/egl.ts";
import { CLIENT_LIBRARIES, type ClientLibrary } from "./libraries.ts";
import { DispatchFollower } from "./gl_dispatch.ts";

/** The libraries of this process, kept while native code may hold them. */
const installed = new InstalledLibraries({ name: "EGL", refusal: () => returning("q:", 0n) });

/**
 * Puts a loader in the place of the system's EGL and OpenGL ES. Every exported function is a jump to the result of
 * eglGetProcAddress for its name: a function of the loader's own, or the entrance of a command of OpenGL ES, which
 * leads to the hooks of the current context. Throws as {@linkcode InstalledLibraries.connect} does.
 */
export function installEgl(scope: EglScope): InstalledEgl {
  const { procAddresses, state } = scope;
  followDispatch(scope);
  const disconnect = installed.connect(
    CLIENT_LIBRARIES.flatMap(wanted),
    (name) => procAddresses.find(name),
    adviceFor(state.driver.libraries),
  );
  let isInstalled = true;
  const uninstall = () => {
    if (isInstalled) disconnect();
    isInstalled = false;
  };
  state.onClose.push(uninstall);
  return { uninstall, [Symbol.dispose]: uninstall };
}

/** The libraries under all their names. A name without a version is used only if no other library has it. */
function wanted({ soname, unversioned, names }: ClientLibrary): InstalledLibrary[] {
  const commands = names();
  return [soname, unversioned].map((each) => ({
    soname: each,
    isOptional: each === unversioned,
    commands,
    make: () => exportLibrary({ soname: each, slots: commands.map((name) => [name, 0n]) }),
  }));
}

/**
 * The advice for a name that is taken: by the driver itself if the driver is the system's front, otherwise by another
 * library.
 */
function adviceFor(driver: readonly string[]): string {
  const names = driver.map((path) => path.slice(path.lastIndexOf("/") + 1));
  const own = CLIENT_LIBRARIES.find(({ soname }) => names.includes(soname))?.soname;
  return own
    ? `"${own}" is the driver of this loader, and cannot be found under that name and be replaced: ` +
      "name a vendor's library, such as libEGL_mesa.so.0, or ANGLE by its path"
    : "call install() before anything that opens or links EGL";
}

/**
 * Lets libglvnd's desktop OpenGL, `libGL.so.1` and `libOpenGL.so.0`, reach the contexts of a vendor's driver, as
 * libglvnd's own `libEGL` would. The second call for a loader does nothing.
 */
function followDispatch({ procAddresses, state }: EglScope): void {
  const { calls, driver } = state;
  if (driver.kind !== "glvnd" || state.followsDispatch) return;
  const [makeCurrent, releaseThread, getProcAddress] = COMMANDS.map((name) => calls.address(name));
  const follower = DispatchFollower.make({ makeCurrent, releaseThread, getProcAddress });
  if (!follower) return;
  state.followsDispatch = true;
  calls.replace(COMMANDS[0], follower.makeCurrent);
  calls.replace(COMMANDS[1], follower.releaseThread);
  for (const name of COMMANDS.slice(0, 2)) procAddresses.entrances?.refresh(name);
  state.onClose.push(() => follower[Symbol.dispose]());
}

const COMMANDS = ["eglMakeCurrent", "eglReleaseThread", "eglGetProcAddress"] as const;
