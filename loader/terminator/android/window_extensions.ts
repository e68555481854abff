import { findExtension } from "../../command/registry/extension.ts";
import type { LayerExtension } from "../../layer.ts";
import type { WindowSystem } from "../../driver/android/release.ts";

/** The instance extensions of the window system, in the order of the list. Drivers never get them. */
export const WINDOW_INSTANCE_EXTENSIONS: readonly string[] = [
  "VK_KHR_surface",
  "VK_KHR_surface_protected_capabilities",
  "VK_KHR_android_surface",
  "VK_EXT_swapchain_colorspace",
  "VK_KHR_get_surface_capabilities2",
  "VK_GOOGLE_surfaceless_query",
  "VK_EXT_surface_maintenance1",
];

/** The extension of a later release, and the release. */
export const LATE_INSTANCE_EXTENSION = { name: "VK_KHR_surface_maintenance1", release: 17 } as const;

/** The device extensions of the window system. Drivers never get them. */
export const WINDOW_DEVICE_EXTENSIONS: readonly string[] = [
  "VK_KHR_incremental_present",
  "VK_KHR_shared_presentable_image",
  "VK_GOOGLE_display_timing",
  "VK_EXT_present_timing",
  "VK_KHR_present_id",
  "VK_KHR_present_id2",
  "VK_KHR_present_wait2",
];

/** Whether a window system has everything that an extension needs. */
export function provides(windowSystem: WindowSystem | undefined, extension: string): boolean {
  const found = findExtension(extension);
  return windowSystem !== undefined && found !== undefined && found.commands.every((name) => name in windowSystem);
}

/** Returns an extension as the loader lists it, with the registry's version. */
export function listed(extensionName: string): LayerExtension {
  return { extensionName, specVersion: findExtension(extensionName)?.specVersion ?? 1 };
}
