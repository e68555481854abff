import { findExtension } from "../../command/registry/extension.ts";
import { NATIVE_BUFFER } from "./hooks.ts";
import { type Gated, listed, provides, WINDOW_DEVICE_EXTENSIONS } from "./instance_extensions.ts";
import type { LayerExtension } from "../../layer.ts";
import type { AndroidLevelOptions } from "./options.ts";
import { isOn, NEWEST_RELEASE } from "../../driver/android/options.ts";
import { VERSION_1_1 } from "./versions.ts";

const SWAPCHAIN = "VK_KHR_swapchain", MAINTENANCE = "VK_EXT_swapchain_maintenance1";
const LATE_MAINTENANCE = "VK_KHR_swapchain_maintenance1";
const FENCE_FD = "VK_KHR_external_fence_fd", HDR = "VK_EXT_hdr_metadata", BIND = "VK_KHR_bind_memory2";
/**
 * The version of VK_KHR_swapchain that a driver's native buffers allow, and the
 * version of native buffers that allows the newer one.
 */
const SWAPCHAIN_VERSIONS = { newer: 70, older: 68, from: 8 } as const;
/** The version of native buffers from which image compression can be controlled. */
const COMPRESSION_FROM = 9;
/** The release from which some extensions are always offered. */
const LATE = 17;

/** The facts that decide the device list, beside the driver's list. Each is queried only if it counts. */
export interface DeviceFacts {
  /** Returns the device's Vulkan version. */
  apiVersion(): number;
  /** Returns VkPhysicalDevicePresentationPropertiesANDROID.sharedImage. */
  sharedImage(): boolean;
  /** Returns VkPhysicalDeviceImageCompressionControlFeaturesEXT.imageCompressionControl. */
  compressionControl(): boolean;
  /** Returns whether fences can be imported from sync fds. */
  importsSyncFd(): boolean;
}

/** Returns the device extensions to list: the loader's, then those that the driver lists, without native buffers. */
export function deviceExtensions(
  driver: readonly LayerExtension[],
  options: AndroidLevelOptions,
  facts: DeviceFacts,
): LayerExtension[] {
  const added = addedExtensions(driver, options, facts), swapchain = provides(options.windowSystem, SWAPCHAIN);
  const rest = driver.filter(({ extensionName }) => !added.includes(extensionName)).flatMap((each) => {
    if (each.extensionName === NATIVE_BUFFER && !options.nativeBuffers) return swapchain ? [asSwapchain(each)] : [];
    return swapchain && each.extensionName === SWAPCHAIN ? [] : [each];
  });
  return [...added.map(listed), ...rest];
}

function asSwapchain({ specVersion }: LayerExtension): LayerExtension {
  const { newer, older, from } = SWAPCHAIN_VERSIONS;
  return { extensionName: SWAPCHAIN, specVersion: specVersion >= from ? newer : older };
}

/** The names in front of the driver's. */
function addedExtensions(
  driver: readonly LayerExtension[],
  { windowSystem, property = () => "", release = NEWEST_RELEASE }: AndroidLevelOptions,
  facts: DeviceFacts,
): string[] {
  if (!provides(windowSystem, SWAPCHAIN)) return [];
  const late = release >= LATE,
    buffers = driver.find(({ extensionName }) => extensionName === NATIVE_BUFFER)?.specVersion ?? 0;
  const timed = isOn(property("service.sf.present_timestamp"));
  const rules: [name: string, offered: () => boolean][] = [
    ["VK_KHR_incremental_present", () => true],
    [HDR, () => late || isOn(property("ro.surface_flinger.has_HDR_display"))],
    ["VK_KHR_shared_presentable_image", () => facts.sharedImage()],
    ["VK_GOOGLE_display_timing", () => timed],
    ["VK_EXT_image_compression_control", () => buffers >= COMPRESSION_FROM && facts.compressionControl()],
    ["VK_EXT_image_compression_control_swapchain", () => buffers >= COMPRESSION_FROM && facts.compressionControl()],
    [MAINTENANCE, () => facts.importsSyncFd()],
    ["VK_KHR_present_id", () => late],
    ["VK_KHR_present_id2", () => late && provides(windowSystem, "VK_KHR_present_wait2")], // they come together
    ["VK_KHR_present_wait2", () => late],
    ["VK_EXT_present_timing", () => late && timed && lists(driver, "VK_KHR_calibrated_timestamps")],
    ["VK_EXT_present_mode_fifo_latest_ready", () => late],
    ["VK_KHR_swapchain_mutable_format", () => late && facts.apiVersion() > VERSION_1_1 + 0xfff],
    [LATE_MAINTENANCE, () => late && facts.importsSyncFd()],
  ];
  const bringable = rules.filter(([name]) => name.includes("image_compression") || provides(windowSystem, name));
  return bringable.filter(([, offered]) => offered()).map(([name]) => name);
}

function lists(driver: readonly LayerExtension[], wanted: string): boolean {
  return driver.some(({ extensionName }) => extensionName === wanted);
}

/** The input of the device gate. */
export interface DeviceGate {
  /** The extensions that the driver lists. */
  readonly driver: readonly LayerExtension[];
  /** The options of the level. */
  readonly options: AndroidLevelOptions;
  /** The core versions that the device has. */
  readonly versions: readonly string[];
  /** Called for each dropped extension with the reason. */
  say(message: string): void;
}

/** Sorts the requested device extensions, as the instance gate does, and replaces some by the driver's own. */
export function gateDevice(requested: readonly string[], gate: DeviceGate): Gated {
  const names = new Set<string>(), hooks = new Set(gate.versions);
  const windows = provides(gate.options.windowSystem, SWAPCHAIN);
  const pass = (name: string) => lists(gate.driver, name) && names.add(name);
  for (const name of requested) {
    if (findExtension(name)?.kind === "instance") gate.say(`Ignored ${name}: it is an instance extension`);
    else if (name === NATIVE_BUFFER && !gate.options.nativeBuffers) {
      gate.say(`Ignored ${name}: it is between the loader and the driver`);
    } else if (windows && WINDOW_DEVICE_EXTENSIONS.includes(name)) hooks.add(name);
    else if (windows && name === SWAPCHAIN) pass(NATIVE_BUFFER) && hooks.add(name);
    else if (windows && name === LATE_MAINTENANCE) pass(FENCE_FD), hooks.add(name);
    else if (windows && [MAINTENANCE, FENCE_FD].includes(name)) pass(FENCE_FD), hooks.add(MAINTENANCE);
    else {
      if (name === BIND || (windows && name === HDR)) hooks.add(name);
      pass(name);
    }
  }
  return { names: [...names], hooks };
}
