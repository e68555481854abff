import { callback, oneOf, type OptionRules } from "../../ffi/check_options.ts";

/**
 * Where the pixels of an image are. `"optimal"`: the driver draws an image of
 * optimal tiling into the buffer's memory, which only drivers can whose optimal
 * images are rows of pixels. `"linear"`: likewise, an image of linear tiling.
 * `"staging"`: the driver draws into memory of its own, and each release copies
 * that to the buffer.
 */
export type AdaptorTier = "optimal" | "linear" | "staging";

/**
 * How the application's binary semaphores are made: as such (`"native"`), or as
 * timeline semaphores, which the host can signal (`"virtual"`). With native
 * ones an acquire waits on the host until its fence is signalled. Virtual ones
 * are not for swapchains of the driver's own: its vkQueuePresentKHR would have
 * to know.
 */
export type SemaphoreKind = "native" | "virtual";

/** What `nativeBufferAdaptor` can be told. */
export interface AdaptorOptions {
  /** The tier of all images, for tests. Default: the first of optimal, linear and staging that does. */
  readonly tier?: AdaptorTier;
  /** Default `"auto"`: virtual, which is faster and waits for nobody, where the device has timeline semaphores, native elsewhere. */
  readonly semaphores?: SemaphoreKind | "auto";
  /** Told why an image was refused, or is on a slower tier than asked; one sentence a call. Default: nothing is said. */
  readonly log?: (message: string) => void;
}

/** Which options of an adaptor there are, and what fits. */
export const ADAPTOR_RULES: OptionRules<AdaptorOptions> = {
  tier: oneOf("optimal", "linear", "staging"),
  semaphores: oneOf("native", "virtual", "auto"),
  log: callback("takes a sentence"),
};
