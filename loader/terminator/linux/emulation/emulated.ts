import { inFrame } from "../../../../ffi/arena.ts";
import { copyFromArena, invokeAddress, peek32, peek64, poke32 } from "../../../../ffi/machine.ts";
import { chain, nextOf } from "../../../driver/structs/create_info.ts";
import type { NativeCall } from "../../../command/compile.ts";
import {
  offsetsOfVkPhysicalDeviceProperties2,
  offsetsOfVkSurfaceCapabilities2EXT,
  sizeOfVkDisplayModeProperties2KHR,
  sizeOfVkDisplayModePropertiesKHR,
  sizeOfVkDisplayPlaneCapabilitiesKHR,
  sizeOfVkDisplayPlaneProperties2KHR,
  sizeOfVkDisplayPlanePropertiesKHR,
  sizeOfVkDisplayProperties2KHR,
  sizeOfVkDisplayPropertiesKHR,
  sizeOfVkPhysicalDeviceIDProperties,
  sizeOfVkQueueFamilyProperties,
  sizeOfVkQueueFamilyProperties2,
  sizeOfVkSparseImageFormatProperties,
  sizeOfVkSparseImageFormatProperties2,
  sizeOfVkSurfaceCapabilitiesKHR,
  sizeOfVkSurfaceFormat2KHR,
  sizeOfVkSurfaceFormatKHR,
  VK_ERROR_FORMAT_NOT_SUPPORTED,
  VK_ERROR_INITIALIZATION_FAILED,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES,
  VK_SUCCESS,
  VkDisplayPlaneInfo2KHR,
  VkPhysicalDeviceIDProperties,
  VkPhysicalDeviceMultiviewFeatures,
} from "../../../gen/native_gen.ts";

/** An emulated command. */
export interface Emulated {
  /** The older command that does the work. */
  readonly by: string;
  /** Makes the emulation, given the older command's address. */
  readonly run: (older: bigint) => NativeCall;
}

/** Offset, in structs with a chain, of the struct that the older commands fill. */
const INSIDE = offsetsOfVkPhysicalDeviceProperties2.properties;
/** A command that every driver has, for emulations without an older command. */
const ANY = "vkGetPhysicalDeviceProperties";
/** Chained structs that the emulation knows: the structure type, and the bytes that it leaves at zero. */
const ID_PROPERTIES = {
  sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  from: VkPhysicalDeviceIDProperties.deviceUUID,
  size: sizeOfVkPhysicalDeviceIDProperties - INSIDE,
};
const MULTIVIEW_FEATURES = {
  sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES,
  from: VkPhysicalDeviceMultiviewFeatures.multiview,
  size: 12,
};

/** Commands with a chain, made from the older ones without a chain, for a driver of Vulkan 1.0. */
export const BY_VULKAN_1_0: Readonly<Record<string, Emulated>> = {
  vkGetPhysicalDeviceFeatures2: {
    by: "vkGetPhysicalDeviceFeatures",
    run: (older) => (gpu, out) => {
      clearChained(out, MULTIVIEW_FEATURES);
      invokeAddress(older, "v:qq", [gpu, out + BigInt(INSIDE)]);
    },
  },
  vkGetPhysicalDeviceProperties2: {
    by: "vkGetPhysicalDeviceProperties",
    run: (older) => (gpu, out) => {
      clearChained(out, ID_PROPERTIES);
      invokeAddress(older, "v:qq", [gpu, out + BigInt(INSIDE)]);
    },
  },
  vkGetPhysicalDeviceMemoryProperties2: into("vkGetPhysicalDeviceMemoryProperties"),
  vkGetPhysicalDeviceFormatProperties2: {
    by: "vkGetPhysicalDeviceFormatProperties",
    run: (older) => (gpu, format, out) => invokeAddress(older, "v:qwq", [gpu, format, out + BigInt(INSIDE)]),
  },
  vkGetPhysicalDeviceImageFormatProperties2: {
    by: "vkGetPhysicalDeviceImageFormatProperties",
    run: (older) => (gpu, info, out) =>
      nextOf(info) !== 0n || nextOf(out) !== 0n
        ? VK_ERROR_FORMAT_NOT_SUPPORTED // the chained structs ask for what only the newer command can answer
        : invokeAddress(older, "s:qwwwwwq", [gpu, ...members(info, 16, 20, 24, 28, 32), out + BigInt(INSIDE)]),
  },
  vkGetPhysicalDeviceQueueFamilyProperties2: {
    by: "vkGetPhysicalDeviceQueueFamilyProperties",
    run: (older) => (gpu, count, out) =>
      spread(
        { size: sizeOfVkQueueFamilyProperties, stride: sizeOfVkQueueFamilyProperties2 },
        count,
        out,
        (to) => void invokeAddress(older, "v:qqq", [gpu, count, to]),
      ),
  },
  vkGetPhysicalDeviceSparseImageFormatProperties2: {
    by: "vkGetPhysicalDeviceSparseImageFormatProperties",
    run: (older) => (gpu, info, count, out) =>
      spread(
        { size: sizeOfVkSparseImageFormatProperties, stride: sizeOfVkSparseImageFormatProperties2 },
        count,
        out,
        (to) => {
          invokeAddress(older, "v:qwwwwwqq", [gpu, ...members(info, 16, 20, 24, 28, 32), count, to]);
        },
      ),
  },
  vkGetPhysicalDeviceExternalBufferProperties: nothing(),
  vkGetPhysicalDeviceExternalSemaphoreProperties: nothing(),
  vkGetPhysicalDeviceExternalFenceProperties: nothing(),
};

/** Commands on surfaces with a chain, for a driver that only has those without. */
export const BY_SURFACE: Readonly<Record<string, Emulated>> = {
  vkGetPhysicalDeviceSurfaceCapabilities2KHR: {
    by: "vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
    run: (older) => (gpu, info, out) =>
      invokeAddress(older, "s:qqq", [gpu, peek64(info + BigInt(INSIDE)), out + BigInt(INSIDE)]),
  },
  vkGetPhysicalDeviceSurfaceFormats2KHR: {
    by: "vkGetPhysicalDeviceSurfaceFormatsKHR",
    run: (older) => (gpu, info, count, out) =>
      spread(
        { size: sizeOfVkSurfaceFormatKHR, stride: sizeOfVkSurfaceFormat2KHR },
        count,
        out,
        (to) => invokeAddress(older, "s:qqqq", [gpu, peek64(info + BigInt(INSIDE)), count, to]) as number,
      ),
  },
  vkGetPhysicalDeviceSurfaceCapabilities2EXT: {
    by: "vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
    run: (older) => (gpu, surface, out) =>
      inFrame((memory) => {
        const END = offsetsOfVkSurfaceCapabilities2EXT.supportedSurfaceCounters + 4, size = END - INSIDE;
        const own = memory.alloc(size);
        memory.bytes.fill(0, own, own + size);
        const result = invokeAddress(older, "s:qqq", [gpu, surface, memory.address(own)]) as number;
        if (result < 0) memory.bytes.fill(0, own, own + size); // nothing of a driver that fails reaches the caller
        copyFromArena(out + BigInt(INSIDE), own, size);
        return result;
      }),
  },
};

/** Commands on displays for a driver without them: it has no displays. */
export const NO_DISPLAYS: Readonly<Record<string, Emulated>> = {
  vkGetPhysicalDeviceDisplayPropertiesKHR: none(1),
  vkGetPhysicalDeviceDisplayPlanePropertiesKHR: none(1),
  vkGetDisplayPlaneSupportedDisplaysKHR: none(2),
  vkGetDisplayModePropertiesKHR: none(2),
  vkGetDisplayPlaneCapabilitiesKHR: {
    by: ANY,
    run: () => (_gpu, _mode, _plane, out) => {
      for (let at = 0; at < sizeOfVkDisplayPlaneCapabilitiesKHR; at += 4) poke32(out + BigInt(at), 0);
      return VK_SUCCESS;
    },
  },
  vkCreateDisplayModeKHR: { by: ANY, run: () => () => VK_ERROR_INITIALIZATION_FAILED },
};

/** Commands on displays with a chain, for a driver that only has those without. */
export const BY_DISPLAY: Readonly<Record<string, Emulated>> = {
  vkGetPhysicalDeviceDisplayProperties2KHR: listed(
    "vkGetPhysicalDeviceDisplayPropertiesKHR",
    sizeOfVkDisplayPropertiesKHR,
    sizeOfVkDisplayProperties2KHR,
  ),
  vkGetPhysicalDeviceDisplayPlaneProperties2KHR: listed(
    "vkGetPhysicalDeviceDisplayPlanePropertiesKHR",
    sizeOfVkDisplayPlanePropertiesKHR,
    sizeOfVkDisplayPlaneProperties2KHR,
  ),
  vkGetDisplayModeProperties2KHR: {
    by: "vkGetDisplayModePropertiesKHR",
    run: (older) => (gpu, display, count, out) =>
      spread(
        { size: sizeOfVkDisplayModePropertiesKHR, stride: sizeOfVkDisplayModeProperties2KHR },
        count,
        out,
        (to) => invokeAddress(older, "s:qqqq", [gpu, display, count, to]) as number,
      ),
  },
  vkGetDisplayPlaneCapabilities2KHR: {
    by: "vkGetDisplayPlaneCapabilitiesKHR",
    run: (older) => (gpu, info, out) => {
      const mode = peek64(info + VkDisplayPlaneInfo2KHR.mode), plane = peek32(info + VkDisplayPlaneInfo2KHR.planeIndex);
      return invokeAddress(older, "s:qqwq", [gpu, mode, plane, out + BigInt(INSIDE)]);
    },
  },
};

/** Queries about a surface for a driver without them: it does not support the surface, and has nothing to list. */
export const NO_SURFACES: Readonly<Record<string, Emulated>> = {
  vkGetPhysicalDeviceSurfaceSupportKHR: none(3),
  vkGetPhysicalDeviceSurfaceFormatsKHR: none(2),
  vkGetPhysicalDeviceSurfacePresentModesKHR: none(2),
  vkGetPhysicalDeviceSurfaceCapabilitiesKHR: {
    by: ANY,
    run: () => (_gpu, _surface, out) => {
      for (let at = 0; at < sizeOfVkSurfaceCapabilitiesKHR; at += 4) poke32(out + BigInt(at), 0);
      return VK_SUCCESS;
    },
  },
};

/** Tools of a driver that does not know the query: none, so that layers above can add theirs. */
export const NO_TOOLS: Readonly<Record<string, Emulated>> = {
  vkGetPhysicalDeviceToolProperties: none(1),
  vkGetPhysicalDeviceToolPropertiesEXT: none(1),
};

function into(by: string): Emulated {
  return { by, run: (older) => (gpu, out) => invokeAddress(older, "v:qq", [gpu, out + BigInt(INSIDE)]) };
}

/** Fills VkExternal…Properties with zero flags: nothing can be exported or imported. */
function nothing(): Emulated {
  return {
    by: ANY,
    run: () => (_gpu, _info, out) => {
      for (const at of [0, 4, 8]) poke32(out + BigInt(INSIDE + at), 0);
    },
  };
}

/** Returns an empty list. The argument at an index points to the count. */
function none(count: number): Emulated {
  return {
    by: ANY,
    run: () => (...args) => {
      if (args[count] !== 0n) poke32(args[count], 0);
      return VK_SUCCESS;
    },
  };
}

function listed(by: string, size: number, stride: number): Emulated {
  return {
    by,
    run: (older) => (gpu, count, out) =>
      spread({ size, stride }, count, out, (to) => invokeAddress(older, "s:qqq", [gpu, count, to]) as number),
  };
}

/** Reads 32-bit members of a struct. */
function members(info: bigint, ...offsets: number[]): number[] {
  return offsets.map((offset) => peek32(info + BigInt(offset)));
}

/** Calls for a list of plain structs and copies each into the caller's larger struct. */
function spread(
  { size, stride }: { size: number; stride: number },
  count: bigint,
  out: bigint,
  call: (to: bigint) => number | void,
): number {
  if (out === 0n) return call(0n) ?? VK_SUCCESS;
  return inFrame((memory) => {
    const room = peek32(count), list = memory.alloc(size * room + 16);
    const result = call(memory.address(list)) ?? VK_SUCCESS;
    if (result >= 0) {
      for (let index = 0; index < Math.min(room, peek32(count)); index++) {
        copyFromArena(out + BigInt(stride * index + INSIDE), list + size * index, size);
      }
    }
    return result;
  });
}

function clearChained(out: bigint, known: typeof ID_PROPERTIES): void {
  for (const { sType, address } of chain(nextOf(out))) {
    if (sType !== known.sType) continue;
    for (let each = 0; each < known.size; each += 4) poke32(address + known.from + BigInt(each), 0);
  }
}
