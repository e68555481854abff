import { type Arena, inFrame } from "../../../ffi/arena.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { procOf } from "../../../ffi/library/library.ts";
import type { Driver } from "./driver.ts";
import {
  sizeOfVkInstanceCreateInfo,
  sizeOfVkPhysicalDeviceProperties,
  VK_API_VERSION_1_0,
  VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
  VkPhysicalDeviceProperties,
} from "../../gen/native_gen.ts";

/** The report of a driver before anyone uses it. */
export interface Probe {
  /** Names of its physical devices. */
  readonly devices: readonly string[];
  /** Rank of the best device: 4 discrete GPU, 3 integrated, 2 virtual, 1 other, 0 CPU; -1 without a device. */
  readonly rank: number;
  /** The packed Vulkan version from vkEnumerateInstanceVersion; 1.0.0 if the command is missing or fails. */
  readonly apiVersion: number;
  /** The driver's reason for having no device. */
  readonly failure?: string;
}

/** No device at all. */
const NONE = { devices: [], rank: -1 } as const;
/** VkPhysicalDeviceType to rank: OTHER, INTEGRATED_GPU, DISCRETE_GPU, VIRTUAL_GPU, CPU. */
const RANKS = [1, 3, 4, 2, 0];
const PROPERTIES = VkPhysicalDeviceProperties;

/** Looks up a command with or without an instance; 0n if the driver has none. */
export function driverProc(driver: Driver, instance: bigint, name: string): bigint {
  const given = instance === 0n ? driver.given.get(name) : undefined;
  return given ?? procOf(instanceProcAddr(driver, instance), instance, name);
}

/** Returns the address of a driver's vkGetInstanceProcAddr for an instance, or for NULL. */
export function instanceProcAddr(driver: Driver, instance: bigint): bigint {
  return (instance !== 0n && driver.instanceProcAddr?.(instance)) || driver.getInstanceProcAddr;
}

/** Returns the address of a driver's vkGetDeviceProcAddr for a device. */
export function deviceProcAddr(driver: Driver, instance: bigint, device: bigint): bigint {
  return driver.deviceProcAddr?.(device) ?? driverProc(driver, instance, "vkGetDeviceProcAddr");
}

/**
 * Returns a driver's packed Vulkan version from vkEnumerateInstanceVersion;
 * 1.0.0 if the command is missing or fails.
 */
export function driverVersion(driver: Driver): number {
  const version = saidVersion(driver);
  return typeof version === "number" ? version : VK_API_VERSION_1_0;
}

/** Returns the packed version that a driver's vkEnumerateInstanceVersion gives, or why it gives none. */
export function saidVersion(driver: Driver): number | "missing" | "failed" {
  const enumerate = driverProc(driver, 0n, "vkEnumerateInstanceVersion");
  if (enumerate === 0n) return "missing";
  return inFrame((memory) => {
    const out = memory.alloc(4);
    return invokeAddress(enumerate, "s:q", [memory.address(out)]) === 0 ? memory.view.getUint32(out, true) : "failed";
  });
}

/** Creates a bare instance, counts and ranks its physical devices, and destroys it again. */
export function probeDriver(driver: Driver): Probe {
  return inFrame((memory) => {
    const instance = bareInstance(driver, memory);
    const apiVersion = driverVersion(driver);
    if (typeof instance === "string") return { ...NONE, apiVersion, failure: instance };
    try {
      const missing = missingCommands((name) => driverProc(driver, instance, name));
      if (missing.length > 0) return { ...NONE, apiVersion, failure: `it has no ${missing.join(", ")}` };
      return { ...describe(driver, instance, memory), apiVersion };
    } finally {
      const destroy = driverProc(driver, instance, "vkDestroyInstance");
      if (destroy !== 0n) invokeAddress(destroy, "v:qq", [instance, 0n]);
    }
  });
}

function bareInstance(driver: Driver, memory: Arena): bigint | string {
  const create = driverProc(driver, 0n, "vkCreateInstance");
  if (create === 0n) return "it has no vkCreateInstance";
  const info = memory.alloc(sizeOfVkInstanceCreateInfo), out = memory.alloc(8);
  memory.bytes.fill(0, info, info + sizeOfVkInstanceCreateInfo);
  memory.view.setUint32(info, VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, true);
  const result = invokeAddress(create, "s:qqq", [memory.address(info), 0n, memory.address(out)]) as number;
  return result === 0 ? memory.view.getBigUint64(out, true) : `its vkCreateInstance returned ${result}`;
}

function describe(driver: Driver, instance: bigint, memory: Arena): Omit<Probe, "apiVersion"> {
  const enumerate = driverProc(driver, instance, "vkEnumeratePhysicalDevices");
  const getProperties = driverProc(driver, instance, "vkGetPhysicalDeviceProperties");
  const count = memory.alloc(4), room = 64, handles = memory.alloc(8 * room);
  memory.view.setUint32(count, room, true);
  const result = invokeAddress(enumerate, "s:qqq", [
    instance,
    memory.address(count),
    memory.address(handles),
  ]) as number;
  if (result < 0) return { ...NONE, failure: `its vkEnumeratePhysicalDevices returned ${result}` };
  const properties = memory.address(memory.alloc(sizeOfVkPhysicalDeviceProperties));
  const devices: string[] = [];
  let rank = -1;
  for (let i = 0; i < Math.min(room, memory.view.getUint32(count, true)); i++) {
    invokeAddress(getProperties, "v:qq", [memory.view.getBigUint64(handles + 8 * i, true), properties]);
    devices.push(readCString(properties + PROPERTIES.deviceName));
    const type = memory.view.getUint32(Number(properties + PROPERTIES.deviceType - memory.base), true);
    rank = Math.max(rank, RANKS[type] ?? 1);
  }
  return { devices, rank };
}

/** The instance commands without which the loader-driver interface rejects a driver. */
const REQUIRED = [
  "vkDestroyInstance",
  "vkEnumeratePhysicalDevices",
  "vkGetPhysicalDeviceFeatures",
  "vkGetPhysicalDeviceFormatProperties",
  "vkGetPhysicalDeviceImageFormatProperties",
  "vkGetPhysicalDeviceProperties",
  "vkGetPhysicalDeviceQueueFamilyProperties",
  "vkGetPhysicalDeviceMemoryProperties",
  "vkGetPhysicalDeviceSparseImageFormatProperties",
  "vkGetDeviceProcAddr",
  "vkCreateDevice",
  "vkEnumerateDeviceExtensionProperties",
];

/** Returns the required instance commands that an ICD lacks, according to `find`. An empty list is good. */
export function missingCommands(find: (name: string) => bigint): string[] {
  return REQUIRED.filter((name) => find(name) === 0n);
}

/** The word 0 of a driver's new dispatchable object, until the loader replaces it: ICD_LOADER_MAGIC, HWVULKAN_DISPATCH_MAGIC. */
export const LOADER_MAGIC = 0x01cdc0den;

/** Whether word 0 of a dispatchable object is still the driver's. */
export function isUnadopted(word: bigint): boolean {
  return (word & 0xffff_ffffn) === LOADER_MAGIC;
}
