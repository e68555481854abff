import { GraphicsError } from "../../ffi/error.ts";

/** Why a recording cannot be read or replayed. */
export type RecordingErrorCode =
  | "bad-line"
  | "bad-version"
  | "cut-off"
  | "changed"
  | "missing-bytes"
  | "no-instance"
  | "unsupported"
  | "failed";

/** A recording that cannot be read or replayed: the message says where, what was found and what to do. */
export class RecordingError extends GraphicsError<RecordingErrorCode> {
  /** Always "RecordingError". */
  override readonly name = "RecordingError";
  /** The line it is about, counted from 1; edits that add or drop lines count. 0 for the whole. */
  readonly line: number;

  /** Makes the error of a line, with its reason and a sentence. */
  constructor(code: RecordingErrorCode, line: number, sentence: string, options?: ErrorOptions) {
    super({ ...options, code, sentence });
    this.line = line;
  }
}
