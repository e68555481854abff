import { invokeAddress, peek32, peek64, poke32 } from "../../../../ffi/machine.ts";
import { findInChain, nextOf } from "../../../driver/structs/create_info.ts";
import type { Emulated } from "./emulated.ts";
import { VK_SUCCESS } from "../../../gen/native_gen.ts";

/** The extension under its two names. Structure types and layouts are the same. */
export const SURFACE_MAINTENANCE: readonly string[] = ["VK_EXT_surface_maintenance1", "VK_KHR_surface_maintenance1"];

const CAPABILITIES_2 = "vkGetPhysicalDeviceSurfaceCapabilities2KHR";
/** VkSurfaceCapabilities2KHR: the range of bytes with the smallest and the largest extent of images. */
const EXTENTS = { from: 32n, size: 16 };
/** VkSurfacePresentModeKHR, VkSurfacePresentScalingCapabilitiesKHR and VkSurfacePresentModeCompatibilityKHR. */
const PRESENT_MODE = { sType: 1_000_274_000, mode: 16n };
const SCALING = { sType: 1_000_274_001, flags: [16n, 20n, 24n], extents: 28n };
const COMPATIBILITY = { sType: 1_000_274_002, count: 16n, modes: 24n };

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
      const asked = findInChain(nextOf(info), PRESENT_MODE.sType);
      if (result !== VK_SUCCESS || asked === 0n) return result;
      fillScaling(out, findInChain(nextOf(out), SCALING.sType));
      fillCompatible(peek32(asked + PRESENT_MODE.mode), findInChain(nextOf(out), COMPATIBILITY.sType));
      return result;
    },
  },
};

function fillScaling(capabilities: bigint, scaling: bigint): void {
  if (scaling === 0n) return;
  for (const at of SCALING.flags) poke32(scaling + at, 0);
  for (let at = 0n; at < EXTENTS.size; at += 4n) {
    poke32(scaling + SCALING.extents + at, peek32(capabilities + EXTENTS.from + at));
  }
}

function fillCompatible(mode: number, compatible: bigint): void {
  if (compatible === 0n) return;
  const modes = peek64(compatible + COMPATIBILITY.modes), count = compatible + COMPATIBILITY.count;
  const room = modes === 0n ? 1 : Math.min(peek32(count), 1);
  if (modes !== 0n && room > 0) poke32(modes, mode);
  poke32(count, room);
}
