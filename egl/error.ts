import { GraphicsError } from "../ffi/error.ts";
import {
  EGL_BAD_DEVICE_EXT,
  EGL_BAD_OUTPUT_LAYER_EXT,
  EGL_BAD_OUTPUT_PORT_EXT,
  EGL_BAD_STATE_KHR,
  EGL_BAD_STREAM_KHR,
  EGL_SUCCESS,
} from "./gen/egl_constants_gen.js";

/** The names of EGL's errors, from EGL_SUCCESS on. */
const NAMES = [
  "EGL_SUCCESS",
  "EGL_NOT_INITIALIZED",
  "EGL_BAD_ACCESS",
  "EGL_BAD_ALLOC",
  "EGL_BAD_ATTRIBUTE",
  "EGL_BAD_CONFIG",
  "EGL_BAD_CONTEXT",
  "EGL_BAD_CURRENT_SURFACE",
  "EGL_BAD_DISPLAY",
  "EGL_BAD_MATCH",
  "EGL_BAD_NATIVE_PIXMAP",
  "EGL_BAD_NATIVE_WINDOW",
  "EGL_BAD_PARAMETER",
  "EGL_BAD_SURFACE",
  "EGL_CONTEXT_LOST",
];
const OTHERS: Readonly<Record<number, string>> = {
  0x3353: "EGL_RESOURCE_BUSY_EXT",
  [EGL_BAD_STREAM_KHR]: "EGL_BAD_STREAM_KHR",
  [EGL_BAD_STATE_KHR]: "EGL_BAD_STATE_KHR",
  [EGL_BAD_DEVICE_EXT]: "EGL_BAD_DEVICE_EXT",
  [EGL_BAD_OUTPUT_LAYER_EXT]: "EGL_BAD_OUTPUT_LAYER_EXT",
  [EGL_BAD_OUTPUT_PORT_EXT]: "EGL_BAD_OUTPUT_PORT_EXT",
};
const FIRST = EGL_SUCCESS;

/** The advice for each error, unless the command has better advice. */
const ADVICE: Readonly<Record<string, string>> = {
  EGL_SUCCESS: "the driver named no error: it may not have the command; ask egl.supports() first",
  EGL_NOT_INITIALIZED: "call eglInitialize() on the display first",
  EGL_BAD_ACCESS: "the context or surface is current on another thread, or the resource is in use: release it there",
  EGL_BAD_ALLOC: "there is not enough memory, or the window already has a surface: destroy what is no longer used",
  EGL_BAD_ATTRIBUTE: "an attribute or its value is not known to this driver: look at its extensions and their names",
  EGL_BAD_CONFIG: "give a configuration that eglChooseConfig() of the same display returned",
  EGL_BAD_CONTEXT: "give a context of this display that is not destroyed",
  EGL_BAD_CURRENT_SURFACE: "a surface of the current context is no longer valid: make another one current",
  EGL_BAD_DISPLAY: "give a display that eglGetDisplay() returned",
  EGL_BAD_MATCH: "the arguments don't fit each other: look at configuration, API version and surface types",
  EGL_BAD_NATIVE_PIXMAP: "give a pixmap of the display's native platform",
  EGL_BAD_NATIVE_WINDOW: "give a window of the display's native platform that is still open",
  EGL_BAD_PARAMETER: "an argument has a value the command doesn't take: compare it with the specification",
  EGL_BAD_SURFACE: "give a surface of this display that is not destroyed",
  EGL_CONTEXT_LOST: "the GPU was reset or powered down: destroy all contexts and begin anew",
};

/**
 * Returns the name of an EGL error.
 *
 * @example
 * ```ts
 * import { eglErrorName } from "@pumice/gfx/egl";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(eglErrorName(0x3008), "EGL_BAD_DISPLAY");
 * ```
 */
export function eglErrorName(code: number): string {
  return NAMES[code - FIRST] ?? OTHERS[code] ?? `0x${code.toString(16)}`;
}

/** An EGL command that failed. */
export class EglError extends GraphicsError<number> {
  /** Always "EglError". */
  override readonly name = "EglError";
  /** The command that failed, by its C name. */
  declare readonly command: string;

  /** Takes the command, the result of eglGetError(), such as 0x3008, and a sentence, which has a default. */
  constructor(command: string, code: number, sentence?: string, options?: ErrorOptions) {
    const codeName = eglErrorName(code), said = sentence ?? ADVICE[codeName];
    const found = `${codeName} (0x${code.toString(16)})`;
    const message = `${command} failed: ${found}${said ? `; ${said}` : ""}`;
    super({ ...options, command, code, codeName, sentence: said ?? `the command reported ${found}`, message });
  }
}
