import { inFrame } from "../../../../ffi/arena.ts";
import { structAt, type StructObject } from "../../../../loader/codec/codec.ts";
import { readExtensionList } from "../../../../loader/driver/interface/extension_list.ts";
import {
  offsetsOfVkQueueFamilyProperties as FAMILY,
  sizeOfVkPhysicalDeviceProperties,
  sizeOfVkQueueFamilyProperties,
  VK_QUEUE_COMPUTE_BIT,
  VK_QUEUE_GRAPHICS_BIT,
  VK_SUCCESS,
  VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR,
} from "../../../../loader/gen/native_gen.ts";
import type { Below } from "./below.ts";
import { type InstanceFacts, VERSION_1_1 } from "./enable.ts";

/** The extensions that read both clocks at once, the better first. */
const CALIBRATED = ["VK_KHR_calibrated_timestamps", "VK_EXT_calibrated_timestamps"] as const;

/** The facts of a physical device's timestamps. */
export interface GpuFacts {
  /** Nanoseconds of one tick. */
  readonly period: number;
  /** The valid bits of a timestamp, by queue family; 0 where the layer can write none. */
  readonly bits: readonly number[];
  /** The extension that reads the GPU's clock and CLOCK_MONOTONIC at once, if there is one that a device can have. */
  readonly extension: typeof CALIBRATED[number] | undefined;
}

/** Asks a physical device. Nothing is known of an instance that was created before the layer came. */
export function gpuFacts(physicalDevice: bigint, below: Below, instance: InstanceFacts | undefined): GpuFacts {
  const { limits, apiVersion } = propertiesOf(physicalDevice, below);
  const version = Math.min(instance?.version ?? 0, apiVersion as number);
  const isAllowed = version >= VERSION_1_1 || instance?.hasProperties2;
  return {
    period: (limits as { timestampPeriod: number }).timestampPeriod,
    bits: bitsOf(physicalDevice, below),
    extension: isAllowed ? extensionOf(physicalDevice, below) : undefined,
  };
}

function propertiesOf(physicalDevice: bigint, below: Below): StructObject {
  return inFrame((memory) => {
    const properties = memory.address(memory.alloc(sizeOfVkPhysicalDeviceProperties));
    below.vkGetPhysicalDeviceProperties(physicalDevice, properties);
    return structAt("VkPhysicalDeviceProperties", properties);
  });
}

/** A family of transfers alone cannot reset queries. */
function bitsOf(physicalDevice: bigint, below: Below): number[] {
  return inFrame((memory) => {
    const { view } = memory, count = memory.alloc(8);
    view.setUint32(count, 0, true);
    below.vkGetPhysicalDeviceQueueFamilyProperties(physicalDevice, memory.address(count), 0n);
    const room = view.getUint32(count, true), families = memory.alloc(room * sizeOfVkQueueFamilyProperties || 1);
    below.vkGetPhysicalDeviceQueueFamilyProperties(physicalDevice, memory.address(count), memory.address(families));
    return Array.from({ length: Math.min(room, view.getUint32(count, true)) }, (_, index) => {
      const at = families + index * sizeOfVkQueueFamilyProperties, flags = view.getUint32(at + FAMILY.queueFlags, true);
      const canReset = (flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) !== 0;
      return canReset ? view.getUint32(at + FAMILY.timestampValidBits, true) : 0;
    });
  });
}

function extensionOf(physicalDevice: bigint, below: Below): GpuFacts["extension"] {
  const list = readExtensionList((count, out) =>
    below.vkEnumerateDeviceExtensionProperties(physicalDevice, 0n, count, out)
  );
  const names = typeof list === "number" ? [] : list.map(({ extensionName }) => extensionName);
  return CALIBRATED.find((name) => names.includes(name) && knowsMonotonic(physicalDevice, below, name));
}

function knowsMonotonic(physicalDevice: bigint, below: Below, extension: typeof CALIBRATED[number]): boolean {
  const ask = extension === "VK_KHR_calibrated_timestamps"
    ? below.vkGetPhysicalDeviceCalibrateableTimeDomainsKHR
    : below.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT;
  return inFrame((memory) => {
    const { view } = memory, room = 16, count = memory.alloc(8), domains = memory.alloc(4 * room);
    view.setUint32(count, room, true);
    if (ask(physicalDevice, memory.address(count), memory.address(domains)) < VK_SUCCESS) return false;
    const length = Math.min(room, view.getUint32(count, true));
    const found = Array.from({ length }, (_, at) => view.getInt32(domains + 4 * at, true));
    return found.includes(VK_TIME_DOMAIN_CLOCK_MONOTONIC_KHR);
  });
}
