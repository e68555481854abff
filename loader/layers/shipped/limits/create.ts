import type { StructObject } from "../../../codec/values/convert.ts";
import type { Settings } from "./settings.ts";
import { VK_ERROR_EXTENSION_NOT_PRESENT, VK_ERROR_FEATURE_NOT_PRESENT } from "../../../gen/native_gen.ts";

/** A refused vkCreateDevice. */
export interface RefusedDevice {
  /** VK_ERROR_EXTENSION_NOT_PRESENT (-7) or VK_ERROR_FEATURE_NOT_PRESENT (-8). */
  readonly result: number;
  /** The extensions or features that the device may not have. */
  readonly names: readonly string[];
}

/** Returns why a device with this VkDeviceCreateInfo cannot be created; `undefined` if it can. */
export function refusalOf(info: StructObject, settings: Settings): RefusedDevice | undefined {
  const names = (info.ppEnabledExtensionNames as string[] ?? []).filter((name) => settings.extensions.has(name));
  if (names.length > 0) return { result: VK_ERROR_EXTENSION_NOT_PRESENT, names };
  const enabled = [info.pEnabledFeatures, ...info.pNext as StructObject[]].flatMap(enabledIn);
  const wanted = [...new Set(enabled.filter((name) => settings.features.has(name)))];
  return wanted.length > 0 ? { result: VK_ERROR_FEATURE_NOT_PRESENT, names: wanted } : undefined;
}

/** Returns the members that are true in a features struct, or in the struct inside VkPhysicalDeviceFeatures2. */
function enabledIn(features: unknown): string[] {
  if (typeof features !== "object" || features === null) return [];
  return Object.entries(features).flatMap(([name, value]) =>
    value === true ? [name] : name === "features" ? enabledIn(value) : []
  );
}
