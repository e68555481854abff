/** A recording that cannot be written as a script; the message says why. */
export class Unscriptable extends Error {
  /** The error's name. */
  override readonly name = "Unscriptable";
}
