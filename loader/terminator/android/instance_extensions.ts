import { findExtension } from "../../command/registry/extension.ts";
import { NEWEST_RELEASE, type WindowSystem } from "../../driver/android/options.ts";
import type { LayerExtension } from "../../layer.ts";
import type { AndroidLevelOptions } from "./options.ts";
import { coreVersions, VERSION_1_1, withoutPatch } from "./versions.ts";

/** The extension that the loader has even if the driver lacks it. */
export const DEBUG_REPORT = "VK_EXT_debug_report";

/** Extensions that Vulkan 1.1 includes. The loader enables them on drivers of 1.0 without a request. */
const PROMOTED: readonly string[] = [
  "VK_KHR_device_group_creation",
  "VK_KHR_external_fence_capabilities",
  "VK_KHR_external_memory_capabilities",
  "VK_KHR_external_semaphore_capabilities",
  "VK_KHR_get_physical_device_properties2",
];

/** The window system's instance extensions in a release, in order. */
function ofWindows({ windowSystem, release = NEWEST_RELEASE }: AndroidLevelOptions): string[] {
  const late = release >= LATE_INSTANCE_EXTENSION.release ? [LATE_INSTANCE_EXTENSION.name] : [];
  return [...WINDOW_INSTANCE_EXTENSIONS, ...late].filter((name) => provides(windowSystem, name));
}

/** Returns the instance extensions to list: the loader's, then those that the driver lists. */
export function instanceExtensions(driver: readonly LayerExtension[], options: AndroidLevelOptions): LayerExtension[] {
  const windows = ofWindows(options), report = listed(DEBUG_REPORT);
  const own = windows.map(listed);
  if (!driver.some(({ extensionName }) => extensionName === DEBUG_REPORT)) own.push(report);
  const rest = driver.filter(({ extensionName }) => !windows.includes(extensionName)).map((each) =>
    each.extensionName === DEBUG_REPORT
      ? { ...each, specVersion: Math.min(each.specVersion, report.specVersion) }
      : each
  );
  return [...own, ...rest];
}

/** The result of a gate. */
export interface Gated {
  /** The names for the driver, in order. */
  readonly names: readonly string[];
  /** Core versions and extensions whose hooks are active. */
  readonly hooks: ReadonlySet<string>;
}

/** The input of the instance gate. */
export interface InstanceGate {
  /** The loader's version. */
  readonly loader: number;
  /** The driver's version. */
  readonly version: number;
  /** The extensions that the driver lists. */
  readonly driver: readonly LayerExtension[];
  /** The options of the level. */
  readonly options: AndroidLevelOptions;
  /** Called for each dropped extension with the reason. */
  say(message: string): void;
}

/**
 * Sorts the requested instance extensions: those that the loader handles
 * itself, those for the driver, and those that are dropped.
 */
export function gateInstance(requested: readonly string[], gate: InstanceGate): Gated {
  const names = new Set<string>(), windows = ofWindows(gate.options);
  const hooks = new Set([...coreVersions(gate.loader), "VK_KHR_swapchain"]);
  const offered = new Set(gate.driver.map(({ extensionName }) => extensionName));
  for (const name of requested) {
    if (findExtension(name)?.kind === "device") gate.say(`Ignored ${name}: it is a device extension`);
    else if (windows.includes(name)) hooks.add(name);
    else {
      if (name === DEBUG_REPORT) hooks.add(name);
      if (offered.has(name)) names.add(name);
    }
  }
  const promotes = withoutPatch(gate.version) < VERSION_1_1;
  for (const name of promotes ? PROMOTED : []) if (offered.has(name)) names.add(name);
  return { names: [...names], hooks };
}

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
