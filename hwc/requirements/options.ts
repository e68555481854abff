import { callback, number, type OptionRules, typed } from "../../ffi/check_options.ts";
import type { Verdict } from "../../loader/requirements/verdict.ts";
import type { BufferRequest } from "../../wsi/buffer/check_request.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";

/** Settings of {@linkcode checkComposer}. */
export interface ComposerCheckOptions {
  /** Allocates the buffers for the check. Default: `allocateBuffer()` of `@pumice/gfx/wsi`. */
  readonly allocate?: (request: BufferRequest) => GraphicBuffer;
  /** The owner of the composer, for the verdicts. Default `"driver"`. */
  readonly own?: Verdict["own"];
  /**
   * Lets at most one vsync of the device's time pass while the check waits; for composers on a clock that a test moves.
   * Default: a millisecond of real time.
   */
  readonly pass?: () => void | Promise<void>;
  /** How often `pass` is called before the check stops waiting. Default 3000. */
  readonly passes?: number;
}

/** The options of a check, with the values that fit. */
export const COMPOSER_CHECK_RULES: OptionRules<ComposerCheckOptions> = {
  allocate: callback("makes a buffer"),
  own: typed('whose fault a failure is: "driver" or another', "string"),
  pass: callback("lets time pass"),
  passes: number,
};
