import { exportLibrary } from "../../ffi/functions/exported.ts";
import { InstalledLibraries, type InstalledLibrary } from "../../ffi/functions/installed.ts";
import { linkStub } from "../../ffi/library/link_stub.ts";
import { returning } from "../../ffi/thunk/thunk.ts";
import { BLOB_CACHE_SETTER } from "../api/blob_cache_setter.ts";
import type { InstalledEgl } from "../api/egl.ts";
import type { EglScope } from "../api/scope.ts";
import { commandsOf, eglCommands } from "../dispatch/names.ts";
import { DispatchFollower } from "./gl_dispatch.ts";

/** A library through which native code uses EGL or OpenGL ES. */
interface ClientLibrary {
  /** The name that programs are linked with or open. */
  readonly soname: string;
  /** The name of the development package; absent if another library has the name. */
  readonly unversioned: string;
  /** Returns the exported names. */
  names(): readonly string[];
}

/** The three libraries, EGL's first. */
const CLIENT_LIBRARIES: readonly ClientLibrary[] = [
  {
    soname: "libEGL.so.1",
    unversioned: "libEGL.so",
    names: () => eglCommands.names.filter((name) => name !== BLOB_CACHE_SETTER),
  },
  { soname: "libGLESv2.so.2", unversioned: "libGLESv2.so", names: () => [...commandsOf("gles2")] },
  { soname: "libGLESv1_CM.so.1", unversioned: "libGLESv1_CM.so", names: () => [...commandsOf("gles1")] },
];

/**
 * Returns the files, by name, with which C programs are linked (`-lEGL -lGLESv2 -lGLESv1_CM`). Such a program loads
 * `libEGL.so.1` and the other libraries when it starts, and gets the installed loader. Throws a `TypeError` for a
 * machine other than `x86_64` and `aarch64`.
 *
 * @example
 * ```ts
 * import { eglLinkStubs } from "@pumice/gfx/egl";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals([...eglLinkStubs("x86_64").keys()].includes("libEGL.so"), true);
 * ```
 */
export function eglLinkStubs(arch: string = Deno.build.arch): Map<string, Uint8Array<ArrayBuffer>> {
  return new Map(
    CLIENT_LIBRARIES.map(({ soname, unversioned, names }) => [unversioned, linkStub(soname, names(), arch)]),
  );
}

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
