/**
 * Why a consumer failed: no display or X server to be had, one that has gone, a
 * screen that cannot show the pixels, a file that cannot be written, an encoder
 * that is missing or has ended, use after close.
 */
export type ConsumerErrorCode = "no-display" | "server-gone" | "unsupported" | "write-failed" | "encoder" | "closed";

/** A failure of what shows or keeps frames. The message says what was found and what to do. */
export class ConsumerError extends Error {
  /** `"ConsumerError"`, also where the class has another name after bundling. */
  override readonly name = "ConsumerError";
  /** The reason, for programs to branch on. */
  readonly code: ConsumerErrorCode;

  /** Makes an error with its reason and its sentence. */
  constructor(code: ConsumerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
