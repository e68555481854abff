import { GraphicsError } from "../../ffi/error.ts";

/** What was wrong with a composition. */
export type CompositionErrorCode =
  | "cannot-compose"
  | "bad-target"
  | "bad-layer"
  | "missing-library"
  | "closed"
  | "device";

/** A composition that could not be done; nothing was drawn, or the device was lost. */
export class CompositionError extends GraphicsError<CompositionErrorCode> {
  /** Always "CompositionError". */
  override readonly name = "CompositionError";

  /** With a sentence that says what was found and what to do. */
  constructor(code: CompositionErrorCode, sentence: string, options?: ErrorOptions) {
    super({ ...options, code, sentence });
  }
}
