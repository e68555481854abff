/** What was wrong with a composition. */
export type CompositionErrorCode =
  | "cannot-compose"
  | "bad-target"
  | "bad-layer"
  | "missing-library"
  | "closed"
  | "device";

/** A composition that could not be done; nothing was drawn, or the device was lost. */
export class CompositionError extends Error {
  /** Always "CompositionError". */
  override readonly name = "CompositionError";
  /** What was wrong, for programs. */
  readonly code: CompositionErrorCode;

  /** With a sentence that says what was found and what to do. */
  constructor(code: CompositionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
