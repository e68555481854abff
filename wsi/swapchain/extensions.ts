import type { AndroidRelease, WindowSystem as Addresses } from "../../loader/driver/android/release.ts";
import type { LayerExtension } from "../../loader/layer.ts";
import { deviceExtensions, type DeviceFacts } from "../../loader/terminator/android/device_extensions.ts";
import { HOOKS } from "../../loader/terminator/android/hooks.ts";
import type { AndroidLevelOptions } from "../../loader/terminator/android/options.ts";
import {
  LATE_INSTANCE_EXTENSION,
  listed,
  WINDOW_INSTANCE_EXTENSIONS,
} from "../../loader/terminator/android/window_extensions.ts";
import type { WindowSystem } from "./environment.ts";

/** For the rules that ask whether a window system has a command: it has all. */
const EVERYTHING: Addresses = Object.fromEntries(
  HOOKS.filter(({ windowSystem }) => windowSystem).map(({ name }) => [name, 1n]),
);
/** What the window system answers of devices, whether or not one offers it. */
const DEVICE_EXTENSIONS = [
  "VK_KHR_swapchain",
  "VK_KHR_incremental_present",
  "VK_EXT_hdr_metadata",
  "VK_KHR_shared_presentable_image",
  "VK_GOOGLE_display_timing",
  "VK_EXT_swapchain_maintenance1",
  "VK_KHR_swapchain_maintenance1",
  "VK_KHR_present_id",
  "VK_KHR_present_id2",
  "VK_KHR_present_wait",
  "VK_KHR_present_wait2",
  "VK_EXT_present_timing",
  "VK_EXT_present_mode_fifo_latest_ready",
  "VK_KHR_swapchain_mutable_format",
];

/** What Android's rules for extensions go by here. */
export function rules({ release, isFaithful, property }: WindowSystem): AndroidLevelOptions {
  const quirks = isFaithful ? "aosp" : undefined;
  return { release: release as AndroidRelease, quirks, property, windowSystem: EVERYTHING };
}

/** The instance extensions that a window system brings in a release. */
export function broughtToInstances(release: number): LayerExtension[] {
  const late = release >= LATE_INSTANCE_EXTENSION.release ? [LATE_INSTANCE_EXTENSION.name] : [];
  return [...WINDOW_INSTANCE_EXTENSIONS, ...late].map(listed);
}

/** All device extensions that it may bring. */
export function broughtToDevices(): LayerExtension[] {
  return DEVICE_EXTENSIONS.map(listed);
}

/** What a device shows, by what it has below. */
export function shownExtensions(
  system: WindowSystem,
  below: readonly LayerExtension[],
  facts: DeviceFacts,
): LayerExtension[] {
  return deviceExtensions(below, rules(system), facts);
}
