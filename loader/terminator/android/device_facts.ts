import { inFrame } from "../../../ffi/arena.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { codec, type StructObject } from "../../codec/codec.ts";
import { readExtensionList, writeExtensionList } from "../../driver/interface/extension_list.ts";
import {
  VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT,
  VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID,
} from "../../gen/native_gen.ts";
import type { LayerExtension } from "../../layer.ts";
import { deviceExtensions, type DeviceFacts } from "./device_extensions.ts";
import { coreOrKhr, type DriverSide } from "./driver_side.ts";
import type { AndroidInstance, AndroidLevel } from "./level.ts";

/** Structure types of chained queries. */
const PRESENTATION_PROPERTIES = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID,
  COMPRESSION_FEATURES = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT;

/** Returns the facts that a driver reports about a physical device when it is asked. */
export function factsOf(side: DriverSide, instance: bigint, gpu: bigint): DeviceFacts {
  const chained = (name: string, root: string, sType: number) => {
    const address = coreOrKhr(side, instance, name);
    return address === 0n ? {} : query(address, [gpu], root, { pNext: [sType] }, (filled) => chainOf(filled)[0] ?? {});
  };
  const features = () => chained("vkGetPhysicalDeviceFeatures2", "VkPhysicalDeviceFeatures2", COMPRESSION_FEATURES);
  const properties = () =>
    chained("vkGetPhysicalDeviceProperties2", "VkPhysicalDeviceProperties2", PRESENTATION_PROPERTIES);
  return {
    apiVersion: () => apiVersionOf(side, instance, gpu),
    sharedImage: () => isTrue(properties().sharedImage),
    compressionControl: () => isTrue(features().imageCompressionControl),
    importsSyncFd: () => importsSyncFd(side, instance, gpu),
  };
}

/** VkPhysicalDeviceProperties.apiVersion. */
export function apiVersionOf(side: DriverSide, instance: bigint, gpu: bigint): number {
  const address = side.proc(instance, "vkGetPhysicalDeviceProperties");
  return query(address, [gpu], "VkPhysicalDeviceProperties", {}, (filled) => filled.apiVersion as number);
}

function importsSyncFd(side: DriverSide, instance: bigint, gpu: bigint): boolean {
  const address = coreOrKhr(side, instance, "vkGetPhysicalDeviceExternalFenceProperties");
  if (address === 0n) return false;
  return inFrame((memory) => {
    const info = codec("VkPhysicalDeviceExternalFenceInfo");
    const at = memory.alloc(info.size);
    info.encode({ handleType: VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT }, at);
    const features = ({ externalFenceFeatures }: StructObject) => externalFenceFeatures as number;
    const found = query(address, [gpu, memory.address(at)], "VkExternalFenceProperties", {}, features);
    return (found & VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT) !== 0;
  });
}

/** Calls `void (…, Struct *)` and reads the filled struct. */
function query<T>(
  address: bigint,
  before: readonly bigint[],
  struct: string,
  template: StructObject,
  read: (filled: StructObject) => T,
): T {
  return inFrame((memory) => {
    const { size, encodeOut, decode } = codec(struct);
    const at = memory.alloc(size);
    encodeOut(template, at);
    invokeAddress(address, `v:${"q".repeat(before.length + 1)}`, [...before, memory.address(at)]);
    return read(decode(at));
  });
}

function chainOf(struct: StructObject): StructObject[] {
  return struct.pNext as StructObject[];
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1;
}

/** Returns the device extensions that a driver lists; a negative VkResult if the query failed. */
export function driverDeviceExtensions(
  { side }: AndroidLevel,
  instance: AndroidInstance,
  gpu: bigint,
): LayerExtension[] | number {
  const enumerate = side.proc(instance.handle, "vkEnumerateDeviceExtensionProperties");
  return readExtensionList((count, out) => invokeAddress(enumerate, "s:qqqq", [gpu, 0n, count, out]) as number);
}

function shown(level: AndroidLevel, instance: AndroidInstance, gpu: bigint): LayerExtension[] | number {
  const list = driverDeviceExtensions(level, instance, gpu);
  if (typeof list === "number") return list;
  return deviceExtensions(list, level.options, factsOf(level.side, instance.handle, gpu));
}

/** The level's vkEnumerateDeviceExtensionProperties. */
export function enumerateDeviceExtensions(
  level: AndroidLevel,
  instance: AndroidInstance,
  gpu: bigint,
  { count, out }: { count: bigint; out: bigint },
): number {
  const list = shown(level, instance, gpu);
  return typeof list === "number" ? list : writeExtensionList(list, count, out);
}

/** Whether a physical device lists VK_EXT_swapchain_maintenance1. */
export function hasMaintenance(level: AndroidLevel, instance: AndroidInstance, gpu: bigint): boolean {
  const list = shown(level, instance, gpu);
  return typeof list !== "number" &&
    list.some(({ extensionName }) => extensionName === "VK_EXT_swapchain_maintenance1");
}
