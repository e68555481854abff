import { checkVulkanOptions } from "../loader/api/check_options.ts";
import { loadVulkan as loadBare } from "../loader/api/load_vulkan.ts";
import type { Vulkan } from "../loader/api/vulkan.ts";
import type { VulkanOptions } from "../loader/options.ts";
import type { Finding } from "../loader/driver/report/finding.ts";
import { propertyReader } from "../loader/driver/android/properties.ts";
import { denoHost } from "../loader/driver/host/host.ts";
import { platformOf } from "../loader/driver/search/platform.ts";
import { androidWsi, type AndroidWsiOptions } from "./android_wsi.ts";

/**
 * Opens a Vulkan driver as the loader's own `loadVulkan` does, with Android's
 * window system below everything: an instance that enables
 * VK_KHR_android_surface has surfaces on {@linkcode NativeWindow}s, whatever
 * the driver. Other instances do without it, and the driver's own window
 * systems stay as they are. Who gives `bottomLayers` of their own, such as those
 * of {@linkcode androidWsi}, gets these instead.
 *
 * @throws {DriverError} when the driver or a layer cannot be used; the message says what was found and what to do.
 * @throws {TypeError} when the options make no sense.
 *
 * @example A window on any driver
 * ```ts ignore
 * import { loadVulkan, NativeWindow, pngConsumer } from "@pumice/gfx";
 *
 * using window = new NativeWindow({ width: 640, height: 360, consumer: pngConsumer("out/frame-%04d.png") });
 * using vulkan = loadVulkan();
 * using instance = vulkan.vkCreateInstance({ ppEnabledExtensionNames: ["VK_KHR_surface", "VK_KHR_android_surface"] });
 * const surface = instance.vkCreateAndroidSurfaceKHR({ window: window.address });
 * ```
 */
export function loadVulkan(options: VulkanOptions = {}): Vulkan {
  const found: Finding[] = [], onDevice = (revision?: number) => note(found, vulkan.driver, revision);
  checkVulkanOptions(options);
  const vulkan = loadBare(options.bottomLayers ? options : withWindows(options, onDevice)), { explain } = vulkan;
  return Object.assign(vulkan, { explain: () => [...explain(), ...found] });
}

/** Notes whose native buffers a device uses, once for each answer. */
function note(found: Finding[], path: string, revision: number | undefined): void {
  const reason = revision === undefined
    ? "it has no native buffers of its own: windows are drawn into by those of this library"
    : `windows are drawn into by native buffers of its own, revision ${revision}`;
  if (found.some((each) => each.reason === reason)) return;
  found.push({ subject: "driver", path, origin: "VK_ANDROID_native_buffer", taken: true, reason });
}

/** The options with Android's window system at the bottom, and what gets its surfaces past layers that were not built for Android. */
function withWindows(options: VulkanOptions, onDevice: AndroidWsiOptions["onDevice"]): VulkanOptions {
  const { bottomLayers, guise } = androidWsi({ ...windowSystemFor(options), onDevice }), { layers = [] } = options;
  if (Deno.build.os === "android") return { ...options, bottomLayers };
  const native = layers.findIndex((layer) => typeof layer === "string");
  return { ...options, bottomLayers, layers: layers.toSpliced(native < 0 ? layers.length : native, 0, guise) };
}

/** On Android its properties decide what is offered, and nothing is that Android does not. */
function windowSystemFor(options: VulkanOptions): AndroidWsiOptions {
  const { release, quirks, host = denoHost() } = options;
  if (platformOf(options.platform, host) !== "android") return { release, quirks };
  return { release, quirks, bgra: false, property: propertyReader(options) };
}
