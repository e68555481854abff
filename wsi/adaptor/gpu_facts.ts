import { arena } from "../../ffi/arena.ts";
import { codec } from "../../loader/codec/codec.ts";
import type { RawCommands } from "../../loader/types.ts";
import { readExtensionList } from "../../loader/driver/interface/extension_list.ts";
import { DMA_BUF_EXTENSIONS, NATIVE_BUFFER, STYPE, SYNC_FD, SYNC_FD_EXTENSIONS, VERSION } from "./constants.ts";
import { filled, scratch, type StructObject, write } from "./struct.ts";
import {
  VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT,
  VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT,
  VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT,
  VK_PHYSICAL_DEVICE_TYPE_CPU,
  VK_QUEUE_COMPUTE_BIT,
  VK_QUEUE_GRAPHICS_BIT,
  VK_QUEUE_TRANSFER_BIT,
} from "../../loader/gen/native_gen.ts";

/** The properties with which an instance was created. */
export interface InstanceFacts {
  /** VkApplicationInfo.apiVersion without its patch; 1.0 when there was none. */
  readonly version: number;
  /** The extensions that are enabled below. */
  readonly extensions: ReadonlySet<string>;
}

/** The properties of a physical device that the adaptor needs. */
export interface GpuFacts {
  /** The VkPhysicalDevice. */
  readonly handle: bigint;
  /** The version that instance and device both have, without its patch. */
  readonly version: number;
  /** The device extensions below, and their versions. */
  readonly extensions: ReadonlyMap<string, number>;
  /** Whether the driver has VK_ANDROID_native_buffer itself: then the adaptor has no part in its devices. */
  readonly hasOwn: boolean;
  /** VkPhysicalDeviceType. */
  readonly type: number;
  /** VkDriverId; 0 when the driver does not say. */
  readonly driverId: number;
  /** The driver's name, for reports. */
  readonly name: string;
  /** minImportedHostPointerAlignment; 0 when memory of the host cannot be imported. */
  readonly hostAlignment: number;
  /** Whether the device has timeline semaphores. */
  readonly hasTimeline: boolean;
  /** The driver's support for sync_files. */
  readonly syncFd: SyncFdSupport;
  /** The queue families. */
  readonly queues: readonly QueueFamily[];
  /** The suffix of the queries that end in 2; `undefined` if they cannot be used. */
  readonly suffix: "" | "KHR" | undefined;
}

/** The objects into which a driver imports pending sync_files, the handle type SYNC_FD, and whether it exports them. */
export interface SyncFdSupport {
  /** Whether a binary semaphore takes one for its next wait. */
  readonly semaphores: boolean;
  /** Whether a VkFence takes one until it is reset. */
  readonly fences: boolean;
  /** Whether a binary semaphore that is being signalled gives one without waiting. */
  readonly exports: boolean;
}

const NO_SYNC_FD: SyncFdSupport = { semaphores: false, fences: false, exports: false };

/** A queue family. */
export interface QueueFamily {
  /** The number of queues. */
  readonly count: number;
  /** Whether the queues can copy, compute or draw; other queues cannot take the adaptor's submissions. */
  readonly canWork: boolean;
}

const WORKING = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;

/** Asks a physical device, by the commands below the adaptor. */
export function gpuFacts(below: RawCommands, handle: bigint, instance: InstanceFacts): GpuFacts {
  const plain = filled("VkPhysicalDeviceProperties", (out) => below.vkGetPhysicalDeviceProperties(handle, out));
  const version = Math.min(instance.version, majorMinor(plain.apiVersion as number));
  const extensions = extensionsOf(below, handle), suffix = suffixOf(version, instance);
  const has = (name: string, core: number) => version >= core || extensions.has(name);
  const asked = { below, handle, suffix };
  const driver = has("VK_KHR_driver_properties", VERSION.V1_2) ? asProperty(asked, STYPE.DRIVER_PROPERTIES) : undefined;
  const host = extensions.has("VK_EXT_external_memory_host")
    ? asProperty(asked, STYPE.HOST_MEMORY_PROPERTIES)
    : undefined;
  const timeline = has("VK_KHR_timeline_semaphore", VERSION.V1_2) ? asFeature(asked) : undefined;
  return {
    handle,
    version,
    extensions,
    suffix,
    hasOwn: extensions.has(NATIVE_BUFFER),
    type: plain.deviceType as number,
    name: plain.deviceName as string,
    driverId: driver?.driverID as number ?? 0,
    hostAlignment: Number(host?.minImportedHostPointerAlignment ?? 0),
    hasTimeline: timeline?.timelineSemaphore === true,
    syncFd: version < VERSION.V1_1 ? NO_SYNC_FD : syncFdSupport(below, handle, extensions, plain.deviceType as number),
    queues: queueFamilies(below, handle),
  };
}

/** Whether a driver has all extensions for images in dma-bufs. */
export function canImportDmaBufs({ version, extensions }: GpuFacts): boolean {
  return version >= VERSION.V1_1 && DMA_BUF_EXTENSIONS.every((name) => extensions.has(name));
}

/** A driver of the processor exports what it has drawn: the export waits for the drawing, and so would this thread. */
function syncFdSupport(below: RawCommands, gpu: bigint, has: GpuFacts["extensions"], type: number): SyncFdSupport {
  const features = has.has(SYNC_FD_EXTENSIONS.semaphores) ? semaphoreFeatures(below, gpu) : 0;
  return {
    semaphores: (features & VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT) !== 0,
    fences: has.has(SYNC_FD_EXTENSIONS.fences) && fencesTakeSyncFiles(below, gpu),
    exports: (features & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT) !== 0 && type !== VK_PHYSICAL_DEVICE_TYPE_CPU,
  };
}

/** VkExternalSemaphoreFeatureFlags of sync_files. */
function semaphoreFeatures(below: RawCommands, gpu: bigint): number {
  const found = filled("VkExternalSemaphoreProperties", (out) => {
    const info = write("VkPhysicalDeviceExternalSemaphoreInfo", { handleType: SYNC_FD.semaphores });
    below.vkGetPhysicalDeviceExternalSemaphoreProperties(gpu, info, out);
  });
  return found.externalSemaphoreFeatures as number;
}

function fencesTakeSyncFiles(below: RawCommands, gpu: bigint): boolean {
  const found = filled("VkExternalFenceProperties", (out) => {
    const info = write("VkPhysicalDeviceExternalFenceInfo", { handleType: SYNC_FD.fences });
    below.vkGetPhysicalDeviceExternalFenceProperties(gpu, info, out);
  });
  return ((found.externalFenceFeatures as number) & VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT) !== 0;
}

/** A version without its patch. */
export function majorMinor(version: number): number {
  return (version & ~0xfff) >>> 0;
}

interface Asked {
  readonly below: RawCommands;
  readonly handle: bigint;
  readonly suffix: GpuFacts["suffix"];
}

function suffixOf(version: number, { extensions }: InstanceFacts): GpuFacts["suffix"] {
  if (version >= VERSION.V1_1) return "";
  return extensions.has("VK_KHR_get_physical_device_properties2") ? "KHR" : undefined;
}

function asProperty({ below, handle, suffix }: Asked, sType: number): StructObject | undefined {
  if (suffix === undefined) return undefined;
  const ask = (out: bigint) => below[`vkGetPhysicalDeviceProperties2${suffix}`](handle, out);
  return (filled("VkPhysicalDeviceProperties2", ask, [sType]).pNext as StructObject[])[0];
}

function asFeature({ below, handle, suffix }: Asked): StructObject | undefined {
  if (suffix === undefined) return undefined;
  const ask = (out: bigint) => below[`vkGetPhysicalDeviceFeatures2${suffix}`](handle, out);
  return (filled("VkPhysicalDeviceFeatures2", ask, [STYPE.TIMELINE_SEMAPHORE_FEATURES]).pNext as StructObject[])[0];
}

function extensionsOf(below: RawCommands, gpu: bigint): Map<string, number> {
  const list = readExtensionList((count, out) => below.vkEnumerateDeviceExtensionProperties(gpu, 0n, count, out));
  const listed = typeof list === "number" ? [] : list;
  return new Map(listed.map(({ extensionName, specVersion }) => [extensionName, specVersion]));
}

function queueFamilies(below: RawCommands, gpu: bigint): QueueFamily[] {
  const { size, decode } = codec("VkQueueFamilyProperties"), memory = arena();
  return scratch(() => {
    const count = memory.alloc(4);
    below.vkGetPhysicalDeviceQueueFamilyProperties(gpu, memory.address(count), 0n);
    const room = memory.view.getUint32(count, true), at = memory.alloc(size * room || 1);
    below.vkGetPhysicalDeviceQueueFamilyProperties(gpu, memory.address(count), memory.address(at));
    const length = Math.min(room, memory.view.getUint32(count, true));
    return Array.from({ length }, (_, index) => {
      const { queueCount, queueFlags } = decode(at + size * index) as { queueCount: number; queueFlags: number };
      return { count: queueCount, canWork: (queueFlags & WORKING) !== 0 };
    });
  });
}
