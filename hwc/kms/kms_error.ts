import { GraphicsError } from "../../ffi/error.ts";

/** The kind of a failure with a card. */
export type KmsErrorCode =
  | "missing-library"
  | "no-card"
  | "permission"
  | "unsupported"
  | "not-master"
  | "refused"
  | "closed";

/** A card that cannot be opened, or that refused a call for another reason than what a frame asks for. */
export class KmsError extends GraphicsError<KmsErrorCode> {
  /** Always "KmsError". */
  override readonly name = "KmsError";

  /** Takes the code and a sentence that says what was found and what to do. */
  constructor(code: KmsErrorCode, sentence: string, options?: ErrorOptions) {
    super({ ...options, code, sentence });
  }
}
