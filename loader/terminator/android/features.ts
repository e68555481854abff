import { peek32, poke32 } from "../../../ffi/machine.ts";
import { chain, nextOf } from "../../driver/structs/create_info.ts";
import {
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN_FEATURES_EXT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_KHR,
} from "../../gen/native_gen.ts";

/** Structure types of features that depend on the window system. The VkBool32 of each follows its pNext. */
const SWAPCHAIN_MAINTENANCE = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_KHR,
  PRESENT_ID = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR;
const COMPRESSION = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT,
  COMPRESSION_SWAPCHAIN = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_SWAPCHAIN_FEATURES_EXT;
const VALUE = 16n;

/** The features of the window system. */
export interface WindowFeatures {
  /** swapchainMaintenance1. */
  readonly maintenance: boolean;
  /** presentId. */
  readonly presentId: boolean;
}

/** Writes the window system's features into a VkPhysicalDeviceFeatures2 that a driver filled. */
export function patchFeatures(features: bigint, { maintenance, presentId }: WindowFeatures): void {
  const found = new Map<number, bigint>();
  for (const { sType, address } of chain(nextOf(features))) found.set(sType, address + VALUE);
  const set = (sType: number, value: number) => {
    const at = found.get(sType);
    if (at !== undefined) poke32(at, value);
  };
  if (maintenance) set(SWAPCHAIN_MAINTENANCE, 1);
  if (presentId) set(PRESENT_ID, 1);
  const compression = found.get(COMPRESSION);
  if (compression !== undefined) set(COMPRESSION_SWAPCHAIN, peek32(compression));
}
