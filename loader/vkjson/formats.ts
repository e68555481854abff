import type { VkPhysicalDevice } from "../types.ts";
import { type JsonObject, structJson } from "./json_value.ts";
import {
  VK_FORMAT_A1B5G5R5_UNORM_PACK16,
  VK_FORMAT_A4B4G4R4_UNORM_PACK16,
  VK_FORMAT_A4R4G4B4_UNORM_PACK16,
  VK_FORMAT_A8_UNORM,
  VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK,
  VK_FORMAT_ASTC_12x12_SRGB_BLOCK,
  VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK,
  VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM,
  VK_FORMAT_G16_B16R16_2PLANE_444_UNORM,
  VK_FORMAT_G8_B8R8_2PLANE_444_UNORM,
  VK_FORMAT_G8B8G8R8_422_UNORM,
  VK_FORMAT_R4G4_UNORM_PACK8,
} from "../gen/native_gen.ts";

/** A run of VkFormat values, and the minor version that has them without an extension. */
interface Run {
  readonly first: number;
  readonly last: number;
  readonly minor: number;
}

const IN_VKJSON: readonly Run[] = [
  { first: VK_FORMAT_R4G4_UNORM_PACK8, last: VK_FORMAT_ASTC_12x12_SRGB_BLOCK, minor: 0 },
  { first: VK_FORMAT_G8B8G8R8_422_UNORM, last: VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM, minor: 1 },
];
const LATER: readonly Run[] = [
  { first: VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK, last: VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK, minor: 3 },
  { first: VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, last: VK_FORMAT_G16_B16R16_2PLANE_444_UNORM, minor: 3 },
  { first: VK_FORMAT_A4R4G4B4_UNORM_PACK16, last: VK_FORMAT_A4B4G4R4_UNORM_PACK16, minor: 3 },
  { first: VK_FORMAT_A1B5G5R5_UNORM_PACK16, last: VK_FORMAT_A8_UNORM, minor: 4 },
];

/**
 * Returns the usable formats of a device of 1.`minor` and their capabilities:
 * pairs, by rising number. AOSP's vkjson does not query those of 1.3 and later.
 */
export function formatPairs(gpu: VkPhysicalDevice, minor: number, onlyAosp: boolean): [number, JsonObject][] {
  const runs = [...IN_VKJSON, ...onlyAosp ? [] : LATER].filter((run) => run.minor <= minor)
    .sort((a, b) => a.first - b.first);
  const pairs: [number, JsonObject][] = [];
  for (const { first, last } of runs) {
    for (let format = first; format <= last; format++) {
      const found = structJson("VkFormatProperties", gpu.vkGetPhysicalDeviceFormatProperties(format));
      if (Object.values(found).some((features) => features !== 0)) pairs.push([format, found]);
    }
  }
  return pairs;
}
