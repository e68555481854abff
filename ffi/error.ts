/** The parts of a {@linkcode GraphicsError}. */
export interface GraphicsErrorParts<Code extends number | string> extends ErrorOptions {
  /** The API's number, or a word of this package. */
  readonly code: Code;
  /** The C name of the number. Default: the code, if the code is a word. */
  readonly codeName?: string;
  /** The C command or the method that failed. */
  readonly command?: string;
  /** The finding, and what to do. */
  readonly sentence: string;
  /** The message. Default: the sentence. */
  readonly message?: string;
}

/**
 * The base class of every error that this package throws on purpose. All of
 * them have a code, the code's name and a sentence, so that one handler can
 * read them all. Arguments of a wrong type or out of range throw `TypeError` or
 * `RangeError`.
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
  /** For programs to branch on: the API's number, such as -4 of Vulkan or 0x3008 of EGL, or a word of this package. */
  readonly code: Code;
  /** The C name of the number, such as "VK_ERROR_DEVICE_LOST". If the code is a word, the same word. */
  declare readonly codeName: string;
  /** The C command or the method that failed; `undefined` if there was no single one. */
  declare readonly command: string | undefined;
  /** The finding, and what to do, without the command. */
  declare readonly sentence: string;

  /** Sets the fields that all errors share. */
  constructor(parts: GraphicsErrorParts<Code>) {
    const { code, codeName, command, sentence, message } = parts;
    super(message ?? sentence, "cause" in parts ? { cause: parts.cause } : undefined);
    this.code = code;
    for (const [name, value] of Object.entries({ codeName: codeName ?? String(code), command, sentence })) {
      Object.defineProperty(this, name, { value }); // the message has it, so `console.error()` leaves it out
    }
  }
}

/** The reasons of a {@linkcode NativeError}: failures below the graphics APIs. */
export type NativeErrorCode =
  | "not-found"
  | "not-a-file"
  | "not-elf"
  | "truncated"
  | "wrong-class"
  | "wrong-machine"
  | "wrong-kind"
  | "damaged"
  | "load-failed"
  | "already-loaded"
  | "missing-symbol"
  | "permission"
  | "out-of-memory"
  | "closed"
  | "unsupported";

/** Details of a {@linkcode NativeError} beside its message. */
export interface NativeErrorOptions extends ErrorOptions {
  /** The file the error is about. */
  path?: string;
}

/**
 * A failure of the native floor: a library that cannot be opened, memory that
 * cannot be allocated, a missing symbol. The message says what was found and
 * what to do.
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
  /** `"NativeError"`, even if bundling has renamed the class. */
  override readonly name = "NativeError";
  /** The file the error is about; `undefined` if there is none. */
  readonly path: string | undefined;

  /** Makes an error from its code and sentence, and from the file and the cause, if there are any. */
  constructor(code: NativeErrorCode, sentence: string, options: NativeErrorOptions = {}) {
    super({ ...options, code, sentence });
    this.path = options.path;
  }
}

/** Always the same list. Code that checks after each call whether the list is empty need not look the list up first. */
const faults: unknown[] = [];

/**
 * Stores an error that was thrown inside a callback. Native code lies between
 * the callback and the code that can catch the error.
 */
export function storeFault(error: unknown): void {
  faults.push(error);
}

/**
 * Whether an error was thrown inside a callback since errors were last taken.
 *
 * @example
 * ```ts
 * import { bindByAddress, createThunk, hasFault, takeFault } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using thunk = createThunk("w:w", () => {
 *   throw new Error("inside");
 * });
 * bindByAddress("w:w")(1, thunk.address);
 * assertEquals(hasFault(), true);
 * takeFault();
 * assertEquals(hasFault(), false);
 * ```
 */
export function hasFault(): boolean {
  return faults.length > 0;
}

/**
 * Returns all errors thrown inside callbacks since they were last taken, the first one first.
 *
 * @example
 * ```ts
 * import { bindByAddress, createThunk, takeFaults } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using thunk = createThunk("w:w", (value) => {
 *   throw new Error(`${value}`);
 * });
 * const call = bindByAddress("w:w");
 * for (const value of [1, 2]) call(value, thunk.address);
 * assertEquals(takeFaults().map((error) => (error as Error).message), ["1", "2"]);
 * ```
 */
export function takeFaults(): unknown[] {
  return faults.splice(0);
}

/**
 * Returns the first error thrown inside any callback since errors were last
 * taken, and drops later ones. Returns `undefined` if there is none.
 *
 * @example
 * ```ts
 * import { bindByAddress, createThunk, takeFault } from "@pumice/gfx/ffi";
 * import { assertEquals } from "@std/assert";
 *
 * using thunk = createThunk("w:w", () => {
 *   throw new Error("inside");
 * });
 * bindByAddress("w:w")(1, thunk.address);
 * assertEquals((takeFault() as Error).message, "inside");
 * assertEquals(takeFault(), undefined);
 * ```
 */
export function takeFault(): unknown {
  return faults.length > 0 ? takeFaults()[0] : undefined;
}

/**
 * Throws the first error thrown inside any callback since errors were last
 * taken, if there is one. Call this function after each native call that may
 * call back.
 *
 * @example
 * ```ts
 * import { bindByAddress, createThunk, rethrowFault } from "@pumice/gfx/ffi";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * using thunk = createThunk("s:w", () => {
 *   throw new Error("inside");
 * });
 * assertEquals(bindByAddress("s:w")(1, thunk.address), -3); // native code gets VK_ERROR_INITIALIZATION_FAILED
 * assertThrows(rethrowFault, Error, "inside");
 * ```
 */
export function rethrowFault(): void {
  if (faults.length > 0) throw takeFaults()[0];
}
