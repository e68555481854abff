import { ADAPTOR_RULES } from "./adaptor/options.ts";
import { callback, checkOptions, number, oneOf, type OptionRules, optionsOf, yesOrNo } from "../ffi/check_options.ts";
import type { Layer } from "../loader/layer.ts";
import { nativeBufferAdaptor } from "./adaptor/native_buffer_adaptor.ts";
import type { AdaptorOptions } from "./adaptor/options.ts";
import type { WindowSystemOptions } from "./swapchain/environment.ts";
import { swapchainLayer } from "./swapchain/swapchain_layer.ts";

/** What {@linkcode androidWsi} can be told. */
export interface AndroidWsiOptions extends AdaptorOptions, WindowSystemOptions {}

/**
 * Android's window system, over any Vulkan driver: the layers for the bottom of
 * the chain, `bottomLayers` of `loadVulkan`. The upper one has surfaces on
 * {@linkcode NativeWindow}s and swapchains, the lower one gives drivers that
 * lack it VK_ANDROID_native_buffer, on which they rest.
 */
export function androidWsi(options: AndroidWsiOptions = {}): readonly Layer[] {
  checkOptions("androidWsi()", options, WSI_RULES);
  const adaptor = nativeBufferAdaptor(optionsOf(options, ADAPTOR_RULES));
  return [swapchainLayer(adaptor, options), adaptor];
}

/** Which options of a window system there are, and what fits. */
export const WSI_RULES: OptionRules<AndroidWsiOptions> = {
  ...ADAPTOR_RULES,
  release: number,
  quirks: oneOf("aosp"),
  property: callback("says what a system property is"),
  bgra: yesOrNo,
  windowAt: callback("finds a window by its address"),
  onDevice: callback("takes the revision of a device's native buffers"),
};
