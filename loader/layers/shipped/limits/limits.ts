import { checkOptions } from "../../../../ffi/check_options.ts";
import type { Layer } from "../../../layer.ts";
import { defineLayer } from "../../define/define_layer.ts";
import { structAt } from "../../../codec/codec.ts";
import { prepareHooks } from "../native/prepare.ts";
import { refusalOf, type RefusedDevice } from "./create.ts";
import { queryHooks } from "./query_hooks.ts";
import { type DeviceLimitsOptions, LIMITS_RULES, settingsOf } from "./settings.ts";

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
  return {
    layer: defineLayer({
      name: "VK_LAYER_PUMICE_device_limits",
      commands: {
        ...queryHooks(() => settings),
        vkCreateDevice(next, gpu, info, allocator, out) {
          const refusal = refusalOf(structAt("VkDeviceCreateInfo", info), settings);
          if (!refusal) return next(gpu, info, allocator, out);
          refused.push(refusal);
          return refusal.result;
        },
      },
    }),
    refused,
    set(options) {
      checkOptions("set()", options, LIMITS_RULES);
      const changed = { ...given, ...options };
      settings = settingsOf(changed);
      given = changed;
    },
  };
}
