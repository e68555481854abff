import { invokeAddress, peek32, peek64, poke32 } from "../../../../ffi/machine.ts";
import { findInChain, nextOf } from "../../../driver/structs/create_info.ts";
import type { Emulated } from "./emulated.ts";
import {
  sizeOfVkExtent2D,
  VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_KHR,
  VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_KHR,
  VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_KHR,
  VK_SUCCESS,
  VkSurfaceCapabilities2KHR,
  VkSurfaceCapabilitiesKHR,
  VkSurfacePresentModeCompatibilityKHR,
  VkSurfacePresentModeKHR,
  VkSurfacePresentScalingCapabilitiesKHR,
} from "../../../gen/native_gen.ts";

/** The extension under its two names. Structure types and layouts are the same. */
export const SURFACE_MAINTENANCE: readonly string[] = ["VK_EXT_surface_maintenance1", "VK_KHR_surface_maintenance1"];

const CAPABILITIES_2 = "vkGetPhysicalDeviceSurfaceCapabilities2KHR";
/** Offset, in VkSurfaceCapabilities2KHR, of the smallest extent of images, which the largest follows; bytes of both. */
const EXTENTS = VkSurfaceCapabilities2KHR.surfaceCapabilities + VkSurfaceCapabilitiesKHR.minImageExtent;
const EXTENTS_SIZE = 2 * sizeOfVkExtent2D;
const SCALING = VkSurfacePresentScalingCapabilitiesKHR, COMPATIBILITY = VkSurfacePresentModeCompatibilityKHR;
const SCALING_FLAGS = [
  SCALING.supportedPresentScaling,
  SCALING.supportedPresentGravityX,
  SCALING.supportedPresentGravityY,
];

/**
 * Commands that a driver has, but without the structs that the extension allows
 * in their chains. An application queries every physical device, including
 * those whose driver lacks the extension. On those, a present mode is
 * compatible only with itself, and images cannot be scaled.
 */
export const BY_PRESENT_MODE: Readonly<Record<string, Emulated>> = {
  [CAPABILITIES_2]: {
    by: CAPABILITIES_2,
    run: (own) => (gpu, info, out) => {
      const result = invokeAddress(own, "s:qqq", [gpu, info, out]) as number;
      const asked = findInChain(nextOf(info), VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_KHR);
      if (result !== VK_SUCCESS || asked === 0n) return result;
      fillScaling(out, findInChain(nextOf(out), VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_KHR));
      fillCompatible(
        peek32(asked + VkSurfacePresentModeKHR.presentMode),
        findInChain(nextOf(out), VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_KHR),
      );
      return result;
    },
  },
};

function fillScaling(capabilities: bigint, scaling: bigint): void {
  if (scaling === 0n) return;
  for (const at of SCALING_FLAGS) poke32(scaling + at, 0);
  for (let at = 0n; at < EXTENTS_SIZE; at += 4n) {
    poke32(scaling + SCALING.minScaledImageExtent + at, peek32(capabilities + EXTENTS + at));
  }
}

function fillCompatible(mode: number, compatible: bigint): void {
  if (compatible === 0n) return;
  const modes = peek64(compatible + COMPATIBILITY.pPresentModes), count = compatible + COMPATIBILITY.presentModeCount;
  const room = modes === 0n ? 1 : Math.min(peek32(count), 1);
  if (modes !== 0n && room > 0) poke32(modes, mode);
  poke32(count, room);
}
