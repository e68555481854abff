import { declareImage } from "../chain/stamps.ts";
import type { VulkanCommands } from "../gen/commands_gen.ts";
import type { RawCommands } from "../gen/raw_commands_gen.ts";
import { type Finding, selectDriver } from "../driver/select.ts";
import { openLayers } from "../layers/open_layers.ts";
import type { VulkanOptions } from "./options.ts";
import { LoaderScope } from "./loader_scope.ts";

/** A loader with its driver and layers: the commands that need no instance, and what belongs to the whole. */
export interface Vulkan extends VulkanCommands, Disposable {
  /** The same commands in their raw form. */
  readonly raw: RawCommands;
  /** The driver's library. */
  readonly driver: string;
  /** Every driver and layer looked at, in order, and why it was taken or not. */
  explain(): Finding[];
  /** Destroys what is left of the instances and closes layers and driver. A second call does nothing. */
  close(): void;
}

/**
 * Opens a Vulkan driver and puts layers on top of it. Several loaders with
 * different drivers and layers live side by side.
 *
 * @throws {DriverError} when the driver or a layer cannot be used; the message says what was found and what to do.
 * @throws {TypeError} when the options make no sense.
 *
 * @example List the devices of the best driver
 * ```ts ignore
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using vulkan = loadVulkan();
 * using instance = vulkan.vkCreateInstance({});
 * for (const gpu of instance.vkEnumeratePhysicalDevices()) {
 *   console.log(gpu.vkGetPhysicalDeviceProperties().deviceName);
 * }
 * ```
 */
export function loadVulkan(options: VulkanOptions = {}): Vulkan {
  declareImage();
  const { driver, findings } = selectDriver(options.driver ?? "auto");
  try {
    const layers = openLayers(options.layers ?? []);
    const all = [...findings, ...layers.findings];
    for (const each of all) options.log?.(`${each.path}: ${each.reason}`);
    return new LoaderScope(driver, layers, all).vulkan;
  } catch (error) {
    driver.close();
    throw error;
  }
}
