import type { EGLDisplay } from "../command/types.ts";
import type { EglCommands, EglRawCommands } from "../gen/egl_commands_gen.ts";
import type { Finding } from "../../loader/driver/report/finding.ts";
import type { Gl } from "./gl_scope.ts";
import type { InstalledEgl } from "./installed.ts";

/** Commands of Android's libEGL that the registry doesn't have. */
export interface AndroidCommands {
  /** The driver's own strings, where eglQueryString() gives the loader's. */
  eglQueryStringImplementationANDROID(dpy: EGLDisplay, name: number): string;
}

/**
 * A loader with its driver. Commands have their C names and parameters, with
 * these differences: outputs are returned, alone or as an object of their C
 * names; attribute lists are objects or arrays; what fails throws an
 * {@linkcode EglError}.
 */
export interface Egl extends EglCommands, AndroidCommands, Disposable {
  /** The commands of OpenGL ES; those of the context that is current. */
  readonly gl: Gl;
  /** Every EGL command in its raw form: numbers and bigints in, the C result out, errors by eglGetError(). */
  readonly raw: EglRawCommands;
  /** The library of the driver. */
  readonly driver: string;
  /** Everything looked at for a driver, in order, and why it was taken or not; empty for one that was given opened. */
  explain(): Finding[];
  /** Whether a command can be called: EGL's by the driver, OpenGL ES's by the version and extensions of what is current. */
  supports(command: string): boolean;
  /**
   * Puts this loader in the place of the system's `libEGL.so.1`,
   * `libGLESv2.so.2` and `libGLESv1_CM.so.1` for native code in this process;
   * see {@linkcode InstalledEgl}. Call it before anything loads EGL.
   *
   * @throws {NativeError} `already-loaded` when those names are taken, also by this loader's own driver; `unsupported`
   * where emitted code cannot be used.
   */
  install(): InstalledEgl;
  /** Terminates what is left of the displays and closes the driver. A second call does nothing. */
  close(): void;
}
