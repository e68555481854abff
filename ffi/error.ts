import { GraphicsError } from "./graphics_error.ts";

/** What went wrong below the graphics APIs: the reasons a {@linkcode NativeError} can name. */
export type NativeErrorCode =
  | "not-found"
  | "not-a-file"
  | "not-elf"
  | "truncated"
  | "wrong-class"
  | "wrong-machine"
  | "wrong-kind"
  | "load-failed"
  | "already-loaded"
  | "missing-symbol"
  | "permission"
  | "out-of-memory"
  | "closed"
  | "unsupported";

/** Details a {@linkcode NativeError} carries beside its message. */
export interface NativeErrorOptions extends ErrorOptions {
  /** The file the error is about. */
  path?: string;
}

/**
 * A failure of the native floor: a library that cannot be opened, memory that
 * cannot be had, a symbol that is not there. The message says what was found
 * and what to do.
 *
 * @example
 * ```ts
 * import { NativeError } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const error = new NativeError("not-found", "Cannot open /x.so: no such file", { path: "/x.so" });
 * assertEquals(error.code, "not-found");
 * assertEquals(error.path, "/x.so");
 * ```
 */
export class NativeError extends GraphicsError<NativeErrorCode> {
  /** `"NativeError"`, also where the class has another name after bundling. */
  override readonly name = "NativeError";
  /** The file the error is about, when there is one. */
  readonly path: string | undefined;

  /** Makes an error with its reason, its sentence and, where there is one, the file and the cause. */
  constructor(code: NativeErrorCode, sentence: string, options: NativeErrorOptions = {}) {
    super({ ...options, code, sentence });
    this.path = options.path;
  }
}
