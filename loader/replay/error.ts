/** A recording that cannot be read or replayed: the message says where, what was found and what to do. */
export class RecordingError extends Error {
  /** Always "RecordingError". */
  override readonly name = "RecordingError";
  /** The line it is about, counted from 1; edits that add or drop lines count. 0 for the whole. */
  readonly line: number;

  /** Makes the error of a line. */
  constructor(line: number, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.line = line;
  }
}
