import { checkOptions } from "../../../../ffi/check_options.ts";
import type { Layer } from "../../../layer.ts";
import { defineLayer } from "../../define/define_layer.ts";
import { structAt } from "../../../codec/codec.ts";
import { nameOfSType } from "../../../codec/layout/layout.ts";
import { prepareHooks } from "../native/prepare.ts";
import { queryHooks } from "./query_hooks.ts";
import { DECLARED } from "../settings/declared.ts";
import { settingsInChain } from "../settings/instance_settings.ts";
import { NO_SETTINGS, readSettings } from "../settings/read_settings.ts";
import { type DeviceLimitsOptions, LIMITS_RULES, type Settings, settingsOf } from "./settings.ts";
import type { StructObject } from "../../../codec/values/convert.ts";
import { VK_ERROR_EXTENSION_NOT_PRESENT, VK_ERROR_FEATURE_NOT_PRESENT } from "../../../gen/native_gen.ts";

/** A layer that reduces what a device reports, and a list of refused devices. */
export interface DeviceLimits {
  /** The layer, for `layers` of `loadVulkan` or `instance.attach`. */
  readonly layer: Layer;
  /** The refused devices, in order. */
  readonly refused: readonly RefusedDevice[];
  /**
   * Changes options from the next query on. Options that are left out stay.
   * Throws a `TypeError` as {@linkcode deviceLimits} does.
   */
  set(options: DeviceLimitsOptions): void;
}

/**
 * Makes a layer that hides extensions, features and commands and changes
 * properties, limits and the capabilities of formats, semaphores and fences.
 * With it, a program can be tested on devices that nobody has at hand. A
 * program that enables a hidden extension or feature gets no device. Options
 * may change at any moment; existing devices do not change.
 *
 * @throws {TypeError} if a feature, limit or struct does not exist, or if a
 *   value does not fit.
 *
 * @example A device without geometry shaders and with small textures
 * ```ts
 * import { deviceLimits } from "@pumice/gfx/layers";
 * import { assertThrows } from "@std/assert";
 *
 * const { layer, set } = deviceLimits({
 *   hideExtensions: ["VK_KHR_swapchain"],
 *   hideFeatures: ["geometryShader", "timelineSemaphore"],
 *   limits: { maxImageDimension2D: 4096 },
 * });
 * set({ hideFeatures: [] });
 * assertThrows(() => set({ hideFeatures: ["geometryShaders"] }), TypeError, "is it geometryShader?");
 * ```
 */
export function deviceLimits(options: DeviceLimitsOptions): DeviceLimits {
  checkOptions("deviceLimits()", options, LIMITS_RULES);
  prepareHooks();
  let given = options, settings = settingsOf(options);
  const refused: RefusedDevice[] = [];
  const change = (options: DeviceLimitsOptions) => {
    checkOptions("set()", options, LIMITS_RULES);
    const changed = { ...given, ...options };
    settings = settingsOf(changed);
    given = changed;
  };
  return {
    layer: defineLayer({
      name: "VK_LAYER_PUMICE_device_limits",
      commands: {
        ...queryHooks(() => settings),
        vkCreateInstance(next, info, allocator, out) {
          const asked = settingsInChain(DECLARED.limits.layer, info);
          if (asked.size > 0) change(readSettings(DECLARED.limits, NO_SETTINGS, asked));
          return next(info, allocator, out);
        },
        vkCreateDevice(next, gpu, info, allocator, out) {
          const refusal = refusalOf(structAt("VkDeviceCreateInfo", info), settings);
          if (!refusal) return next(gpu, info, allocator, out);
          refused.push(refusal);
          return refusal.result;
        },
      },
    }),
    refused,
    set: change,
  };
}

/** A refused vkCreateDevice. */
export interface RefusedDevice {
  /** VK_ERROR_EXTENSION_NOT_PRESENT (-7) or VK_ERROR_FEATURE_NOT_PRESENT (-8). */
  readonly result: number;
  /** The extensions or features that the device may not have. */
  readonly names: readonly string[];
}

/** Returns why a device with this VkDeviceCreateInfo cannot be created; `undefined` if it can. */
export function refusalOf(info: StructObject, { isHidden, lacks }: Settings): RefusedDevice | undefined {
  const names = (info.ppEnabledExtensionNames as string[] ?? []).filter((name) => isHidden(name));
  if (names.length > 0) return { result: VK_ERROR_EXTENSION_NOT_PRESENT, names };
  const wanted = [...new Set(enabledFeatures(info).filter((each) => lacks(...each)).map(([, name]) => name))];
  return wanted.length > 0 ? { result: VK_ERROR_FEATURE_NOT_PRESENT, names: wanted } : undefined;
}

/** Returns the features that a VkDeviceCreateInfo enables, with their structs. */
export function enabledFeatures(info: StructObject): [struct: string, feature: string][] {
  const chain = (info.pNext as StructObject[]).map((link) => [nameOfSType(link.sType as number) ?? "", link] as const);
  return [[FEATURES, info.pEnabledFeatures], ...chain].flatMap(([name, struct]) => enabledIn(name as string, struct));
}

const FEATURES = "VkPhysicalDeviceFeatures";

/** Returns the members that are true in a features struct, or in the struct inside VkPhysicalDeviceFeatures2. */
function enabledIn(struct: string, features: unknown): [struct: string, feature: string][] {
  if (typeof features !== "object" || features === null) return [];
  return Object.entries(features).flatMap(([name, value]): [string, string][] =>
    value === true ? [[struct, name]] : name === "features" ? enabledIn(FEATURES, value) : []
  );
}
