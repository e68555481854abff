import { inFrame } from "../../../ffi/arena.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { codec, type StructObject } from "../../codec/codec.ts";
import type { DeviceFacts } from "./device_extensions.ts";
import type { DriverSide } from "./driver_side.ts";
import { coreOrKhr } from "./queries.ts";
import {
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID,
} from "../../gen/native_gen.ts";

/** Structure types of chained queries. */
const PRESENTATION_PROPERTIES = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID,
  COMPRESSION_FEATURES = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT;
/** VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT and VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT. */
const SYNC_FD = 8, IMPORTABLE = 2;

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
    info.encode({ handleType: SYNC_FD }, at);
    const features = ({ externalFenceFeatures }: StructObject) => externalFenceFeatures as number;
    return (query(address, [gpu, memory.address(at)], "VkExternalFenceProperties", {}, features) & IMPORTABLE) !== 0;
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
