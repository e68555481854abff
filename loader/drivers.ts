/**
 * Vulkan drivers written in TypeScript, to test layers, loaders and
 * applications without hardware.
 *
 * @example A device that is whatever a test wants
 * ```ts ignore
 * import { defineDriver } from "@pumice/gfx/drivers";
 * import { loadVulkan } from "@pumice/gfx/loader";
 *
 * using driver = defineDriver({ name: "mine", physicalDevices: [{ properties: { deviceName: "Card A" } }] });
 * using vulkan = loadVulkan({ driver });
 * ```
 *
 * @module
 */
export { defineDriver } from "./scripted/define_driver.ts";
export type {
  ChainedSpec,
  DriverSpec,
  ExtensionSpec,
  PartialStruct,
  PhysicalDeviceSpec,
  ScriptedDriver,
  UnknownCommand,
} from "./scripted/spec.ts";
