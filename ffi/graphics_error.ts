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
