import { ADAPTOR_RULES } from "./adaptor/options.ts";
import { callback, checkOptions, oneOf, type OptionRules, optionsOf, yesOrNo } from "../ffi/check_options.ts";
import type { Layer } from "../loader/layer.ts";
import { nativeBufferAdaptor } from "./adaptor/native_buffer_adaptor.ts";
import type { AdaptorOptions } from "./adaptor/options.ts";
import { WindowSystem, type WindowSystemOptions } from "./swapchain/environment.ts";
import { headlessSurfaceProxy, swapchainLayer } from "./swapchain/swapchain_layer.ts";

/** Settings of {@linkcode androidWsi}. */
export interface AndroidWsiOptions extends AdaptorOptions, WindowSystemOptions {}

/** Android's window system as layers; see {@linkcode androidWsi}. */
export interface AndroidWsi {
  /**
   * The layers for the bottom of the chain, for `bottomLayers` of `loadVulkan`. The upper layer provides surfaces on
   * {@linkcode NativeWindow}s, and swapchains. The lower layer provides VK_ANDROID_native_buffer, which the swapchains
   * need, for drivers that lack it.
   */
  readonly bottomLayers: readonly Layer[];
  /**
   * The layer above native layers, for `layers` of `loadVulkan`. Native layers that were built for Linux do not know
   * Android's surfaces: this layer passes such surfaces through them as headless surfaces, down to the layers at the
   * bottom.
   */
  readonly headlessProxy: Layer;
}

/**
 * Creates Android's window system over any Vulkan driver, as layers for the loader's own `loadVulkan`.
 *
 * @example
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx/loader";
 * import { androidWsi } from "@pumice/gfx/wsi";
 *
 * const { bottomLayers } = androidWsi();
 * using vulkan = loadVulkan({ bottomLayers });
 * ```
 */
export function androidWsi(options: AndroidWsiOptions = {}): AndroidWsi {
  checkOptions("androidWsi()", options, WSI_RULES);
  const adaptor = nativeBufferAdaptor(optionsOf(options, ADAPTOR_RULES)), system = new WindowSystem(options);
  return { bottomLayers: [swapchainLayer(adaptor, system), adaptor], headlessProxy: headlessSurfaceProxy(system) };
}

/** The window system's options and their valid values. */
export const WSI_RULES: OptionRules<AndroidWsiOptions> = {
  ...ADAPTOR_RULES,
  release: oneOf(14, 15, 16, 17),
  quirks: oneOf("aosp"),
  property: callback("says what a system property is"),
  bgra: yesOrNo,
  windowAt: callback("finds a window by its address"),
  onDevice: callback("takes the revision of a device's native buffers"),
};
