import { ERROR } from "./types.ts";

/**
 * A call that a composer refused. Success is what a method returns;
 * `HAS_CHANGES` is a success, and `validateDisplay` says it.
 *
 * @example
 * ```ts ignore
 * import { ERROR, HwcError } from "@pumice/gfx/hwc";
 *
 * try {
 *   composer.createLayer(7n);
 * } catch (error) {
 *   if (error instanceof HwcError) console.log(error.error === ERROR.BAD_DISPLAY, error.command);
 * }
 * ```
 */
export class HwcError extends Error {
  /** Always "HwcError". */
  override readonly name = "HwcError";
  /** The `hwc2_error_t`, one of {@linkcode ERROR}. */
  readonly error: number;
  /** The method that failed. */
  readonly command: string;
  /** What was found and what to do. */
  readonly sentence: string;

  /** Makes an error of a method, with a sentence that says what was found and what to do. */
  constructor(error: number, command: string, sentence: string, options?: ErrorOptions) {
    super(`${command}: ${hwcErrorName(error)} (${error}): ${sentence}`, options);
    this.error = error;
    this.command = command;
    this.sentence = sentence;
  }
}

/** The name of a `hwc2_error_t`, such as `BAD_LAYER`. */
export function hwcErrorName(error: number): string {
  return Object.entries(ERROR).find(([, value]) => value === error)?.[0] ?? "an error unknown here";
}
