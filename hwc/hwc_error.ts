import { GraphicsError } from "../ffi/error.ts";
import { ERROR } from "./types.ts";

/**
 * A call that a composer refused. `HAS_CHANGES` is not an error: `validateDisplay` returns it.
 *
 * @example
 * ```ts ignore
 * import { createReferenceComposer, ERROR, HwcError } from "@pumice/gfx/hwc";
 *
 * using composer = createReferenceComposer();
 * try {
 *   composer.createLayer(7n); // there is no such display
 * } catch (error) {
 *   if (error instanceof HwcError) console.log(error.code === ERROR.BAD_DISPLAY, error.command);
 * }
 * ```
 */
export class HwcError extends GraphicsError<number> {
  /** Always "HwcError". */
  override readonly name = "HwcError";
  /** The method that failed. */
  declare readonly command: string;

  /**
   * The layer of the call, where a composer reports the failure of a call with a later one, as those of other processes
   * do.
   */
  layer?: bigint;

  /** Makes the error of a method and its `hwc2_error_t`, with a sentence that says what was found and what to do. */
  constructor(command: string, code: number, sentence: string, options?: ErrorOptions) {
    const codeName = hwcErrorName(code), message = `${command} failed: ${codeName} (${code}); ${sentence}`;
    super({ ...options, command, code, codeName, sentence, message });
  }
}

/**
 * Returns the C name of a `hwc2_error_t`, such as `HWC2_ERROR_BAD_LAYER`; `hwc2_error_t N` for an unknown number.
 *
 * @example
 * ```ts
 * import { hwcErrorName } from "@pumice/gfx/hwc";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals([hwcErrorName(3), hwcErrorName(99)], ["HWC2_ERROR_BAD_LAYER", "hwc2_error_t 99"]);
 * ```
 */
export function hwcErrorName(code: number): string {
  const name = Object.entries(ERROR).find(([, value]) => value === code)?.[0];
  return name ? `HWC2_ERROR_${name}` : `hwc2_error_t ${code}`;
}
