import { GraphicsError } from "../../../ffi/error.ts";

/** The reason why a recording cannot be read or replayed. */
export type RecordingErrorCode =
  | "bad-line"
  | "bad-version"
  | "cut-off"
  | "changed"
  | "missing-bytes"
  | "no-instance"
  | "unsupported"
  | "failed";

/** A recording cannot be read or replayed. The message says where, what was found and what to do. */
export class RecordingError extends GraphicsError<RecordingErrorCode> {
  /** Always "RecordingError". */
  override readonly name = "RecordingError";
  /** Number of the line, from 1. Edits that add or drop lines count. 0 for the recording as a whole. */
  readonly line: number;

  /** Makes the error of a line, from its code and a sentence. */
  constructor(code: RecordingErrorCode, line: number, sentence: string, options?: ErrorOptions) {
    super({ ...options, code, sentence });
    this.line = line;
  }
}

/**
 * Looks at a line, or at the recording as a whole for 0. Where the values of a line are not of the kinds that the
 * command has, the code that looks fails with an error of the engine: that becomes a {@linkcode RecordingError}.
 */
export function lookingAt<Value>(line: number, look: () => Value): Value {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const where = line === 0 ? "a line" : `line ${line}`;
    const sentence = `Cannot use the recording: the values of ${where} are not those that the command has ` +
      `(${error.message}); record anew, or correct the line`;
    throw new RecordingError("bad-line", line, sentence, { cause: error });
  }
}
