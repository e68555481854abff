/** What a {@linkcode GraphicsError} is made of. */
export interface GraphicsErrorParts<Code extends number | string> extends ErrorOptions {
  /** The API's number, or a word of ours. */
  readonly code: Code;
  /** The C name of the number. Default: the code, which is a word then. */
  readonly codeName?: string;
  /** The C command or the method that failed. */
  readonly command?: string;
  /** What was found and what to do. */
  readonly sentence: string;
  /** The message. Default: the sentence. */
  readonly message?: string;
}

/**
 * The base of every error that this package throws on purpose: all of them
 * have a code, its name and a sentence, so one handler reads them all.
 * Arguments of a wrong type or out of range throw `TypeError` or `RangeError`.
 *
 * @example
 * ```ts
 * import { GraphicsError, NativeError } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * const error: GraphicsError = new NativeError("closed", "Cannot read: the library is closed; open it again");
 * assertEquals(error.name, "NativeError");
 * assertEquals([error.code, error.codeName, error.command], ["closed", "closed", undefined]);
 * assertEquals(error.sentence, "Cannot read: the library is closed; open it again");
 * ```
 */
export abstract class GraphicsError<Code extends number | string = number | string> extends Error {
  /** The API's number, such as -4 of Vulkan or 0x3008 of EGL, or a word of this package, for programs to branch on. */
  readonly code: Code;
  /** The C name of the number, such as "VK_ERROR_DEVICE_LOST"; where the code is a word, the same word. */
  readonly codeName: string;
  /** The C command or the method that failed; `undefined` where no single one did. */
  readonly command: string | undefined;
  /** What was found and what to do, without the command. */
  readonly sentence: string;

  /** Makes the part that all errors share. */
  constructor(parts: GraphicsErrorParts<Code>) {
    const { code, codeName, command, sentence, message } = parts;
    super(message ?? sentence, "cause" in parts ? { cause: parts.cause } : undefined);
    this.code = code;
    this.codeName = codeName ?? String(code);
    this.command = command;
    this.sentence = sentence;
  }
}

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
