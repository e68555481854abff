import { GraphicsError } from "../ffi/error.ts";

/** The reason of a {@linkcode WsiError}: the failure of a window, a buffer, a fence or a consumer. */
export type WsiErrorCode =
  | "bad-size"
  | "bad-format"
  | "bad-usage"
  | "bad-handle"
  | "bad-layout"
  | "not-allowed"
  | "out-of-memory"
  | "out-of-descriptors"
  | "closed"
  | "fence-failed"
  | "too-many"
  | "unsupported"
  | "no-display"
  | "no-frame"
  | "cannot-serve"
  | "server-gone"
  | "write-failed"
  | "encoder-failed";

/**
 * A request that windows, buffers, fences or the system refused. The message says what was found and what to do.
 *
 * @example
 * ```ts ignore
 * import { allocateBuffer, HAL_FORMATS, USAGE, WsiError } from "@pumice/gfx/wsi";
 *
 * try {
 *   allocateBuffer({ width: 0, height: 64, format: HAL_FORMATS[0].hal, usage: USAGE.GPU_RENDER_TARGET });
 * } catch (error) {
 *   if (error instanceof WsiError) console.log(error.code); // bad-size
 * }
 * ```
 */
export class WsiError extends GraphicsError<WsiErrorCode> {
  /** Always "WsiError". */
  override readonly name = "WsiError";

  /** Takes the reason and the sentence. */
  constructor(code: WsiErrorCode, sentence: string, options?: ErrorOptions) {
    super({ ...options, code, sentence });
  }
}
