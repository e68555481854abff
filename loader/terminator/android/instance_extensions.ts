import { findExtension } from "../../command/registry/extension.ts";
import type { LayerExtension } from "../../layer.ts";
import type { AndroidLevelOptions } from "./options.ts";
import { NEWEST_RELEASE } from "../../driver/android/release.ts";
import { coreVersions, VERSION_1_1, withoutPatch } from "./versions.ts";
import { LATE_INSTANCE_EXTENSION, listed, provides, WINDOW_INSTANCE_EXTENSIONS } from "./window_extensions.ts";

/** The extension that the loader has whether or not the driver does. */
export const DEBUG_REPORT = "VK_EXT_debug_report";

/** What Vulkan 1.1 took in: the loader enables it on drivers of 1.0, whether or not it was asked for. */
const PROMOTED: readonly string[] = [
  "VK_KHR_device_group_creation",
  "VK_KHR_external_fence_capabilities",
  "VK_KHR_external_memory_capabilities",
  "VK_KHR_external_semaphore_capabilities",
  "VK_KHR_get_physical_device_properties2",
];

/** The instance extensions the window system brings in a release, in order. */
function ofWindows({ windowSystem, release = NEWEST_RELEASE }: AndroidLevelOptions): string[] {
  const late = release >= LATE_INSTANCE_EXTENSION.release ? [LATE_INSTANCE_EXTENSION.name] : [];
  return [...WINDOW_INSTANCE_EXTENSIONS, ...late].filter((name) => provides(windowSystem, name));
}

/** The instance extensions to show: the loader's, then those that the driver lists. */
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

/** What a gate lets through. */
export interface Gated {
  /** What the driver gets, in order. */
  readonly names: readonly string[];
  /** Core versions and extensions whose hooks count. */
  readonly hooks: ReadonlySet<string>;
}

/** What the instance gate goes by. */
export interface InstanceGate {
  /** The loader's version. */
  readonly loader: number;
  /** The driver's version. */
  readonly version: number;
  /** What the driver lists. */
  readonly driver: readonly LayerExtension[];
  /** What the level goes by. */
  readonly options: AndroidLevelOptions;
  /** Told what is left out and why. */
  say(message: string): void;
}

/** Sorts the instance extensions asked for: what the loader keeps for itself, what the driver gets, what is dropped. */
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
