import { VulkanError } from "../error.ts";
import { VK_ERROR_INCOMPATIBLE_DRIVER } from "../gen/native_gen.ts";
import type { VkInstance, VkInstanceCreateInfo } from "../gen/types_core_gen.ts";
import { VK_MAKE_API_VERSION } from "../version.ts";
import type { Vulkan } from "./vulkan.ts";

const V1_3 = VK_MAKE_API_VERSION(0, 1, 3, 0), V1_4 = VK_MAKE_API_VERSION(0, 1, 4, 0);

/** An instance and the version that it was created with. */
export interface FullestInstance {
  /** The instance. */
  readonly instance: VkInstance;
  /** The packed version. */
  readonly apiVersion: number;
}

/**
 * Returns an instance of the newest version. A driver may refuse an application of a version later than the driver's
 * own. If the instance of the version before has more devices, or is the only one, returns that instance.
 */
export function fullestInstance(vulkan: Vulkan, info: Partial<VkInstanceCreateInfo>): FullestInstance {
  const newest = vulkan.vkEnumerateInstanceVersion();
  const [version, before] = [V1_4, V1_3].map((each) => Math.min(newest, each));
  if (before === version) return make(vulkan, info, version);
  const made = tryToMake(vulkan, info, version), other = tryToMake(vulkan, info, before);
  if (!made && !other) return make(vulkan, info, before); // throws
  const [kept, left] = (other?.count ?? -1) > (made?.count ?? -1) ? [other, made] : [made, other];
  left?.instance.close();
  return kept!;
}

function make(vulkan: Vulkan, info: Partial<VkInstanceCreateInfo>, apiVersion: number) {
  const pApplicationInfo = { ...info.pApplicationInfo, apiVersion };
  const instance = vulkan.vkCreateInstance({ ...info, pApplicationInfo });
  return { instance, apiVersion, count: instance.vkEnumeratePhysicalDevices().length };
}

/** The same; `undefined` if every driver refuses the version. */
function tryToMake(...args: Parameters<typeof make>): ReturnType<typeof make> | undefined {
  try {
    return make(...args);
  } catch (error) {
    if (error instanceof VulkanError && error.code === VK_ERROR_INCOMPATIBLE_DRIVER) return undefined;
    throw error;
  }
}
