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
