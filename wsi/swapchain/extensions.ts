import { peek32 } from "../../ffi/machine.ts";
import type { AndroidRelease, WindowSystem as Addresses } from "../../loader/driver/android/options.ts";
import { findInChain, nextOf } from "../../loader/driver/structs/create_info.ts";
import {
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN_FEATURES_EXT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_2_FEATURES_KHR,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_MODE_FIFO_LATEST_READY_FEATURES_KHR,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_2_FEATURES_KHR,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_KHR,
  VkPhysicalDeviceImageCompressionControlFeaturesEXT,
} from "../../loader/gen/native_gen.ts";
import type { LayerExtension } from "../../loader/layer.ts";
import { deviceExtensions, type DeviceFacts } from "../../loader/terminator/android/device_extensions.ts";
import { HOOKS } from "../../loader/terminator/android/hooks.ts";
import type { AndroidLevelOptions } from "../../loader/terminator/android/options.ts";
import {
  LATE_INSTANCE_EXTENSION,
  listed,
  WINDOW_INSTANCE_EXTENSIONS,
} from "../../loader/terminator/android/instance_extensions.ts";
import type { WindowSystem } from "./environment.ts";
import { fillChain } from "./out.ts";

/** The commands of a window system, for the rules that ask for them: all are present. */
const EVERYTHING: Addresses = Object.fromEntries(
  HOOKS.filter(({ windowSystem }) => windowSystem).map(({ name }) => [name, 1n]),
);
/** The device extensions that the window system implements, whether or not a device offers them. */
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

/** The settings of Android's rules for extensions. */
export function rules({ release, isFaithful, property }: WindowSystem): AndroidLevelOptions {
  const quirks = isFaithful ? "aosp" : undefined;
  return { release: release as AndroidRelease, quirks, property, windowSystem: EVERYTHING };
}

/** The instance extensions that the window system brings in a release. */
export function broughtToInstances(release: number): LayerExtension[] {
  const late = release >= LATE_INSTANCE_EXTENSION.release ? [LATE_INSTANCE_EXTENSION.name] : [];
  return [...WINDOW_INSTANCE_EXTENSIONS, ...late].map(listed);
}

/** All device extensions that the window system may bring. */
export function broughtToDevices(): LayerExtension[] {
  return DEVICE_EXTENSIONS.map(listed);
}

/** The device extensions that applications see, by the extensions below. */
export function shownExtensions(
  system: WindowSystem,
  below: readonly LayerExtension[],
  facts: DeviceFacts,
): LayerExtension[] {
  return deviceExtensions(below, rules(system), facts);
}

/** The features of one struct. */
interface WindowFeatures {
  readonly sType: number;
  /** The features that the window system has. */
  readonly has: object;
  /** The device extensions of the struct: the features are present if one of them is offered. */
  readonly of: readonly string[];
}

/** The window system's features, by struct. Drivers neither report nor receive them. */
const FEATURES: Readonly<Record<string, WindowFeatures>> = {
  VkPhysicalDeviceSwapchainMaintenance1FeaturesKHR: {
    sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_KHR,
    has: { swapchainMaintenance1: true },
    of: ["VK_EXT_swapchain_maintenance1", "VK_KHR_swapchain_maintenance1"],
  },
  VkPhysicalDevicePresentIdFeaturesKHR: {
    sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR,
    has: { presentId: true },
    of: ["VK_KHR_present_id"],
  },
  VkPhysicalDevicePresentId2FeaturesKHR: {
    sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_2_FEATURES_KHR,
    has: { presentId2: true },
    of: ["VK_KHR_present_id2"],
  },
  VkPhysicalDevicePresentWait2FeaturesKHR: {
    sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_2_FEATURES_KHR,
    has: { presentWait2: true },
    of: ["VK_KHR_present_wait2"],
  },
  VkPhysicalDevicePresentTimingFeaturesEXT: {
    sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT,
    has: { presentTiming: true, presentAtAbsoluteTime: true, presentAtRelativeTime: false },
    of: ["VK_EXT_present_timing"],
  },
  VkPhysicalDevicePresentModeFifoLatestReadyFeaturesKHR: {
    sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_MODE_FIFO_LATEST_READY_FEATURES_KHR,
    has: { presentModeFifoLatestReady: true },
    of: ["VK_EXT_present_mode_fifo_latest_ready", "VK_KHR_present_mode_fifo_latest_ready"],
  },
};
/** Swapchains can compress if the driver can compress images. */
const COMPRESSION = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT,
  COMPRESSION_SWAPCHAIN = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN_FEATURES_EXT;

/** Adds the window system's features to a VkPhysicalDeviceFeatures2 that a driver filled, by the offered extensions. */
export function patchFeatures(features: bigint, offered: ReadonlySet<string>): void {
  const known = Object.entries(FEATURES).filter(([, each]) => each.of.some((name) => offered.has(name)));
  const answers: Record<string, () => object> = Object.fromEntries(known.map(([name, { has }]) => [name, () => has]));
  const compression = findInChain(nextOf(features), COMPRESSION);
  if (compression !== 0n) {
    const imageCompressionControlSwapchain =
      peek32(compression + VkPhysicalDeviceImageCompressionControlFeaturesEXT.imageCompressionControl) !== 0;
    answers.VkPhysicalDeviceImageCompressionControlSwapchainFeaturesEXT = () => ({ imageCompressionControlSwapchain });
  }
  fillChain(features, answers);
}

/** Whether a struct in a VkDeviceCreateInfo's chain belongs to the window system. */
export function isWindowFeature({ sType }: { readonly sType: number }): boolean {
  return sType === COMPRESSION_SWAPCHAIN || Object.values(FEATURES).some((each) => each.sType === sType);
}
