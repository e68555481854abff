import type { Finding } from "../../loader/driver/report/finding.ts";
import type { Command } from "../command/spec.ts";
import type { EGLDisplay } from "../command/types.ts";
import type { EglCommands, EglRawCommands } from "../gen/egl_commands_gen.ts";
import type { GlCommands, GlRawCommands } from "../gen/gl_commands_gen.ts";

/** Commands of Android's libEGL that the registry lacks. */
export interface AndroidCommands {
  /** Returns the driver's own string; eglQueryString() returns the loader's. */
  eglQueryStringImplementationANDROID(dpy: EGLDisplay, name: number): string;
}

/**
 * An EGL loader with its driver. Commands have their C names and parameters, with these differences: outputs are
 * returned, either alone or as an object with their C names; attribute lists are objects or arrays; a command that
 * fails throws an {@linkcode EglError}.
 */
export interface Egl extends EglCommands, AndroidCommands, Disposable {
  /** The commands of OpenGL ES, for the current context. */
  readonly gl: Gl;
  /**
   * Every EGL command in its raw form: the arguments are numbers and bigints, the result is the C result, and
   * eglGetError() returns the error.
   */
  readonly raw: EglRawCommands;
  /** The driver's library. */
  readonly driver: string;
  /**
   * Returns every driver that the search looked at, in order, and why it was chosen or not; empty for a driver that was
   * passed in open.
   */
  explain(): Finding[];
  /**
   * Returns whether a command can be called. For EGL commands the driver decides; for OpenGL ES commands, the version
   * and extensions of the current context.
   */
  supports(command: string): boolean;
  /**
   * Replaces the system's `libEGL.so.1`, `libGLESv2.so.2` and `libGLESv1_CM.so.1` with this loader for native code in
   * this process; see {@linkcode InstalledEgl}. Call this function before any code loads EGL.
   *
   * @throws `already-loaded` when a library of these names is loaded already, even by this loader's own driver;
   * `unsupported` where emitted code cannot be used.
   */
  install(): InstalledEgl;
  /** Terminates the displays that are still initialized, and closes the driver. A second call does nothing. */
  close(): void;
}

/** The commands of OpenGL ES for scripts. */
export interface Gl extends GlCommands {
  /** The same commands in their raw form. */
  readonly raw: GlRawCommands;
}

/**
 * A loader that `egl.install()` has put in the place of the system's libraries. Native code that opens or links
 * `libEGL.so.1`, `libGLESv2.so.2` or `libGLESv1_CM.so.1` afterwards gets this loader.
 *
 * Commands of OpenGL ES go directly to the driver, or to the first layer, according to the current context. EGL
 * commands run in TypeScript on the thread that opened the loader. On other threads EGL commands are the driver's own,
 * and contexts, errors and current objects there are the driver's, too. Objects that only TypeScript provides, such as
 * windows of `@pumice/gfx/wsi`, are refused by the driver on other threads.
 *
 * An error that a command throws reaches native code as a failure, and `rethrowFault()` throws the error. Code that
 * opens the system's library by its full path gets the system's library.
 */
export interface InstalledEgl extends Disposable {
  /**
   * Removes the loader. Its libraries are unloaded; if native code still holds them, all their commands fail. A second
   * call does nothing. Closing the loader calls `uninstall()`, too.
   */
  uninstall(): void;
  /** Uninstalls the loader at the end of a `using` scope. */
  [Symbol.dispose](): void;
}

/** Commands of Android's libEGL that the registry lacks. */
const EXTRA: readonly Command[] = [{
  name: "eglQueryStringImplementationANDROID",
  result: "*c",
  params: [
    { name: "dpy", code: "EGLDisplay", stars: 0, isConst: false, len: "" },
    { name: "name", code: "i", stars: 0, isConst: false, len: "" },
  ],
}];

/** A command of Android's own by its name. */
export function extraCommand(name: string): Command | undefined {
  return EXTRA.find((each) => each.name === name);
}
