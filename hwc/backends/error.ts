import { GraphicsError } from "../../ffi/error.ts";

/** The kind of a composition's failure. */
export type CompositionErrorCode =
  | "cannot-compose"
  | "bad-target"
  | "bad-layer"
  | "missing-library"
  | "closed"
  | "device";

/** A composition that failed. Either nothing was drawn, or the device was lost. */
export class CompositionError extends GraphicsError<CompositionErrorCode> {
  /** Always "CompositionError". */
  override readonly name = "CompositionError";

  /** Takes the code and a sentence that says what was found and what to do. */
  constructor(code: CompositionErrorCode, sentence: string, options?: ErrorOptions) {
    super({ ...options, code, sentence });
  }
}
