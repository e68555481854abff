import {
  anything,
  either,
  list,
  members,
  object,
  oneOf,
  type OptionRules,
  text,
  typed,
} from "../../ffi/check_options.ts";
import { VK_QUEUE_COMPUTE_BIT, VK_QUEUE_GRAPHICS_BIT } from "../../loader/gen/enums_core_gen.js";
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
  /**
   * Criteria of the device, or its index in the driver's list of physical devices. Default: the first device that has
   * what the other members require.
   */
  readonly device?: number | DeviceCriteria;
}

/** The type of a device, as its driver reports it: `"cpu"` for one that draws with the processor. */
export type DeviceType = "other" | "integrated" | "discrete" | "virtual" | "cpu";

/** The types of devices, by VkPhysicalDeviceType. */
export const DEVICE_TYPES: readonly DeviceType[] = ["other", "integrated", "discrete", "virtual", "cpu"];

/** The queue flags that a device has by default. */
export const DRAWS_AND_COMPUTES: number = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;

/** Returns the physical device to use: the first one that meets all criteria, and all other requirements. */
export interface DeviceCriteria {
  /** The type, or several; a device of an earlier type is preferred. Default: any type. */
  readonly type?: DeviceType | readonly DeviceType[];
  /** A part of the device's name, in upper or lower case. Default: any name. */
  readonly name?: string;
  /** The least size of the largest heap of the device's own memory, in bytes. Default 0. */
  readonly memory?: number;
  /**
   * VK_QUEUE_… bits of the queue. Default: VK_QUEUE_GRAPHICS_BIT and VK_QUEUE_COMPUTE_BIT, which `draw` and `compute`
   * need.
   */
  readonly queueFlags?: number;
}

const NUMBER = typed("a number", "number");
const TYPE = oneOf(...DEVICE_TYPES);
const CRITERIA: OptionRules<DeviceCriteria> = {
  type: either(list("a list of types", TYPE), TYPE),
  name: text("a part of the device's name"),
  memory: NUMBER,
  queueFlags: NUMBER,
};
/** The options for requirements and their valid values. */
export const REQUIREMENTS: OptionRules<GpuRequirements> = {
  apiVersion: NUMBER,
  instanceExtensions: list("a list of names", text("a name")),
  extensions: list("a list of names", text("a name")),
  features: object("an object of features"),
  pNext: anything,
  device: either(NUMBER, members("an index or an object of criteria", CRITERIA)),
};
/** The error for a device that does not meet the requirements. `gpuTest` then skips the driver. */
export class Unmet extends Error {
  /** The error's name. */
  override readonly name = "Unmet";
}
