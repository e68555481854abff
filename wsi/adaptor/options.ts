import { callback, oneOf, type OptionRules } from "../../ffi/check_options.ts";

/**
 * The place of an image's pixels. `"optimal"`: the driver draws an image of optimal tiling into the buffer's memory,
 * which works only for drivers whose optimal images are rows of pixels. `"linear"`: the driver draws an image of linear
 * tiling into the buffer's memory. `"dma-buf"`: the driver imports the buffer's dma-buf by its file descriptor, and draws
 * rows of pixels into it. `"staging"`: the driver draws into memory of its own, and each release copies the
 * pixels to the buffer.
 */
export type AdaptorTier = "optimal" | "linear" | "dma-buf" | "staging";

/**
 * The form of the application's binary semaphores: binary semaphores (`"native"`), or timeline semaphores that the host
 * can signal (`"virtual"`). With native semaphores an acquire blocks the host until its fence is signalled. Virtual
 * semaphores do not work with the driver's own swapchains, whose vkQueuePresentKHR does not know them.
 */
export type SemaphoreKind = "native" | "virtual";

/** Settings of `nativeBufferAdaptor`. */
export interface AdaptorOptions {
  /** The tier of all images, for tests. Default: the first possible of optimal, linear, dma-buf and staging. */
  readonly tier?: AdaptorTier;
  /**
   * The form of semaphores. Default `"auto"`: virtual if the device has timeline semaphores, which is faster and never
   * blocks; otherwise native.
   */
  readonly semaphores?: SemaphoreKind | "auto";
  /**
   * Whether instances may enable extensions of the driver that nobody asked for, which make images cheaper. Default: they
   * may. A HAL of Android gets none: windows are the business of its loader.
   */
  readonly mayExtend?: () => boolean;
  /** Gets a sentence when an image is refused, or is on a slower tier than asked for. Default: no messages. */
  readonly log?: (message: string) => void;
}

/** The adaptor's options and their valid values. */
export const ADAPTOR_RULES: OptionRules<AdaptorOptions> = {
  tier: oneOf("optimal", "linear", "dma-buf", "staging"),
  semaphores: oneOf("native", "virtual", "auto"),
  mayExtend: callback("says whether instances get more extensions"),
  log: callback("takes a sentence"),
};
