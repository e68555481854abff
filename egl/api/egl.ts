import type { EGLDisplay } from "../command/types.ts";
import type { EglCommands, EglRawCommands } from "../gen/egl_commands_gen.ts";
import type { Finding } from "../../loader/driver/report/finding.ts";
import type { Gl } from "./gl.ts";
import type { InstalledEgl } from "./installed.ts";

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
