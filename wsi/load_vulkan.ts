import { type DriverNote, load, type LoaderEntry } from "../loader/api/load.ts";
import { WHOLE } from "../loader/api/load_vulkan.ts";
import type { Vulkan } from "../loader/api/vulkan.ts";
import type { DriverKind } from "../loader/driver/interface/entry_points.ts";
import type { VulkanOptions } from "../loader/options.ts";
import { propertyReader } from "../loader/driver/android/properties.ts";
import { denoHost } from "../loader/driver/host/host.ts";
import { platformOf } from "../loader/driver/search/search.ts";
import { androidWsi, type AndroidWsiOptions } from "./android_wsi.ts";

/** The rules of both platforms, with Android's window system below everything unless there is another. */
const WITH_WINDOWS: LoaderEntry = {
  ...WHOLE,
  bring: (options, note, kind) => options.bottomLayers ? options : withWindows(options, note, kind),
};

/**
 * Opens a Vulkan driver and puts layers on top of it. Several loaders with different drivers and layers live side by
 * side.
 *
 * Three entries have this function, with the same options and the same result; the entries differ in what they find and
 * bring. `@pumice/gfx/core` opens the driver that is named, takes TypeScript layers, and refuses options of a search.
 * `@pumice/gfx/loader` also searches for drivers and layers as Linux's or Android's loader does, takes native layers and
 * several drivers, and can be installed. `@pumice/gfx` also brings Android's window system: instances that enable
 * VK_KHR_android_surface have surfaces on any `NativeWindow`, whatever the driver, unless `bottomLayers` are given.
 *
 * @throws {DriverError} if the driver or a layer cannot be used; the message says what was found and what to do.
 * @throws {TypeError} if an option is wrong, or the entry has no use for an option.
 *
 * @example The driver that Android would find in an unpacked image
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using vulkan = loadVulkan({ platform: "android", root: "image", systemProperties: "image/vendor/build.prop" });
 * for (const { path, reason } of vulkan.explain()) console.log(path, reason);
 * ```
 */
export function loadVulkan(options: VulkanOptions = {}): Vulkan {
  return load(options, WITH_WINDOWS);
}

/** The options with Android's window system at the bottom, and what gets its surfaces past layers that were not built for Android. */
function withWindows(options: VulkanOptions, note: DriverNote, kind: () => DriverKind): VulkanOptions {
  const onDevice = (revision?: number) => note("VK_ANDROID_native_buffer", whoseBuffers(revision));
  const system = { ...windowSystemFor(options), onDevice, mayExtend: () => kind() !== "hal" };
  const { bottomLayers, headlessProxy } = androidWsi(system), { layers = [] } = options;
  if (Deno.build.os === "android") return { ...options, bottomLayers };
  const native = layers.findIndex((layer) => typeof layer === "string");
  return { ...options, bottomLayers, layers: layers.toSpliced(native < 0 ? layers.length : native, 0, headlessProxy) };
}

function whoseBuffers(revision: number | undefined): string {
  return revision === undefined
    ? "it has no native buffers of its own: windows are drawn into by those of this library"
    : `windows are drawn into by native buffers of its own, revision ${revision}`;
}

/** On Android its properties decide what is offered, and nothing is that Android does not. */
function windowSystemFor(options: VulkanOptions): AndroidWsiOptions {
  const { release, quirks, host = denoHost() } = options;
  if (platformOf(options.platform, host) !== "android") return { release, quirks };
  return { release, quirks, bgra: false, property: propertyReader(options) };
}
