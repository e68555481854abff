import { anything, list, object, type OptionRules, text, typed } from "../../ffi/check_options.ts";
import type { VkDeviceCreateInfo, VkPhysicalDeviceFeatures } from "../../loader/types.ts";

/** The requirements of a device. */
export interface GpuRequirements {
  /**
   * The version of Vulkan, packed as VK_MAKE_API_VERSION does. Default 1.0. The instance is created with this version,
   * or with 1.3 if that is later.
   */
  readonly apiVersion?: number;
  /** Extensions of the instance. */
  readonly instanceExtensions?: readonly string[];
  /** Extensions of the device. */
  readonly extensions?: readonly string[];
  /** Features that the device must have. They are enabled. */
  readonly features?: Partial<VkPhysicalDeviceFeatures>;
  /** More structs for the device: the `pNext` chain of VkDeviceCreateInfo. */
  readonly pNext?: VkDeviceCreateInfo["pNext"];
  /** The index in the driver's list of physical devices. Default 0, the first. */
  readonly device?: number;
}

const NUMBER = typed("a number", "number");
/** The options for requirements and their valid values. */
export const REQUIREMENTS: OptionRules<GpuRequirements> = {
  apiVersion: NUMBER,
  instanceExtensions: list("a list of names", text("a name")),
  extensions: list("a list of names", text("a name")),
  features: object("an object of features"),
  pNext: anything,
  device: NUMBER,
};
/** The error for a device that does not meet the requirements. `gpuTest` then skips the driver. */
export class Unmet extends Error {
  /** The error's name. */
  override readonly name = "Unmet";
}
