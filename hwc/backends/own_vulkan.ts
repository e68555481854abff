import { checkOptions, type OptionRules } from "../../ffi/check_options.ts";
import { VULKAN_RULES } from "../../loader/api/options.ts";
import { loadVulkan, requireDriver, type VulkanOptions } from "../../loader/mod.ts";
import type { CompositionBackend } from "./backend.ts";
import { createVulkanBackend as createOver } from "./create.ts";
import { VULKAN_BACKEND_RULES, type VulkanBackendOptions } from "./vulkan/device.ts";

/** The driver that composes, and its settings. */
export interface OwnVulkanBackendOptions extends VulkanBackendOptions {
  /** The driver, as `loadVulkan` takes it. Default `"auto"`. */
  readonly driver?: VulkanOptions["driver"];
  /** Layers above the driver. Default: none. */
  readonly layers?: VulkanOptions["layers"];
}

const RULES: OptionRules<OwnVulkanBackendOptions> = {
  ...VULKAN_BACKEND_RULES,
  driver: VULKAN_RULES.driver,
  layers: VULKAN_RULES.layers,
};

/**
 * Creates a backend of compute shaders on a Vulkan device, with a loader of its own that is closed with the backend. A
 * program that already has a loader uses the function of the same name in `@pumice/gfx/hwc`. Throws a
 * `CompositionError` `device`, or an error of `loadVulkan`.
 */
export function createVulkanBackend(options: OwnVulkanBackendOptions = {}): CompositionBackend {
  checkOptions("createVulkanBackend()", options, RULES);
  const { driver = "auto", layers = [], ...how } = options, vulkan = requireDriver(loadVulkan({ driver, layers }));
  try {
    const backend = createOver(vulkan, how);
    const close = () => {
      backend.close();
      vulkan.close();
    };
    return { ...backend, close, [Symbol.dispose]: close };
  } catch (error) {
    vulkan.close();
    throw error;
  }
}
