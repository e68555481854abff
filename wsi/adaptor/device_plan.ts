import { DMA_BUF_EXTENSIONS, NATIVE_BUFFER, STYPE, SYNC_FD_EXTENSIONS, VERSION } from "./constants.ts";
import { canImportDmaBufs, type GpuFacts, type InstanceFacts, type SyncFdSupport } from "./gpu_facts.ts";
import { chained, type StructObject } from "./struct.ts";

/** The creation of a device, and the device's features. */
export interface DevicePlan {
  /** The VkDeviceCreateInfo. */
  readonly info: StructObject;
  /** Whether memory of the host can be imported. */
  readonly hostImport: boolean;
  /** Whether dma-bufs can be imported for images. */
  readonly dmaBufImport: boolean;
  /** The driver's support for sync_files. */
  readonly syncFd: SyncFdSupport;
  /** Whether timeline semaphores are enabled. */
  readonly timeline: boolean;
  /** The queue for acquire operations; `undefined` when the application asked for none. */
  readonly queue: QueuePlace | undefined;
}

/** The place of a queue on a device. */
export interface QueuePlace {
  /** Index of the queue family. */
  readonly family: number;
  /** Index in the family. */
  readonly index: number;
  /** Whether only the adaptor uses the queue. */
  readonly isPrivate: boolean;
}

/** Extensions that became part of Vulkan 1.1, and are only asked for by name before that. */
const CORE_1_1 = [
  "VK_KHR_external_memory",
  "VK_KHR_external_semaphore",
  "VK_KHR_external_fence",
  "VK_KHR_bind_memory2",
  "VK_KHR_get_memory_requirements2",
];
const ALWAYS = [
  "VK_KHR_external_memory_fd",
  "VK_EXT_external_memory_host",
  SYNC_FD_EXTENSIONS.semaphores,
  SYNC_FD_EXTENSIONS.fences,
  "VK_EXT_queue_family_foreign",
];

/**
 * Returns the ways to create a device for an application's request, best first: with everything that the adaptor can
 * use, then without a private queue, then with the application's request alone.
 */
export function devicePlans(info: StructObject, gpu: GpuFacts, instance: InstanceFacts): DevicePlan[] {
  const names = (info.ppEnabledExtensionNames as string[] ?? []).filter((name) => name !== NATIVE_BUFFER);
  const bare = { ...info, enabledExtensionCount: undefined, ppEnabledExtensionNames: names }, own = ownQueue(bare);
  const full = withExtras(bare, gpu, instance), shared = planOf(full, gpu, own);
  const queue = privateQueue(full, gpu);
  const best = queue ? [planOf(queue.info, gpu, queue.place)] : [];
  return [...best, shared, planOf(bare, gpu, own)];
}

function planOf(info: StructObject, gpu: GpuFacts, queue: QueuePlace | undefined): DevicePlan {
  const names = info.ppEnabledExtensionNames as string[];
  const hostImport = gpu.hostAlignment > 0 && names.includes("VK_EXT_external_memory_host");
  const dmaBufImport = canImportDmaBufs(gpu) && DMA_BUF_EXTENSIONS.every((name) => names.includes(name));
  const hasSemaphores = names.includes(SYNC_FD_EXTENSIONS.semaphores);
  const syncFd = {
    semaphores: gpu.syncFd.semaphores && hasSemaphores,
    exports: gpu.syncFd.exports && hasSemaphores,
    fences: gpu.syncFd.fences && names.includes(SYNC_FD_EXTENSIONS.fences),
  };
  return { info, hostImport, dmaBufImport, syncFd, timeline: hasTimeline(info), queue };
}

function withExtras(info: StructObject, gpu: GpuFacts, instance: InstanceFacts): StructObject {
  const extras = [
    ...ALWAYS,
    ...canImportDmaBufs(gpu) ? [...DMA_BUF_EXTENSIONS, "VK_KHR_image_format_list"] : [], // part of Vulkan 1.2
    ...gpu.version < VERSION.V1_1 ? CORE_1_1 : [],
    ...gpu.version < VERSION.V1_2 && gpu.hasTimeline ? ["VK_KHR_timeline_semaphore"] : [],
    ...instance.extensions.has("VK_KHR_surface") ? ["VK_KHR_swapchain"] : [], // for the layout PRESENT_SRC_KHR
  ];
  const names = [...info.ppEnabledExtensionNames as string[], ...extras.filter((name) => gpu.extensions.has(name))];
  const more = { ...info, ppEnabledExtensionNames: [...new Set(names)] };
  return gpu.hasTimeline ? withTimeline(more) : more;
}

/** A feature may be enabled by one struct of a chain only: by the application's, if it has one. */
function withTimeline(info: StructObject): StructObject {
  const chain = info.pNext as StructObject[] ?? [];
  const place = timelineStruct(info);
  if (!place) {
    return { ...info, pNext: [...chain, { sType: STYPE.TIMELINE_SEMAPHORE_FEATURES, timelineSemaphore: true }] };
  }
  return { ...info, pNext: chain.map((each) => each === place ? { ...each, timelineSemaphore: true } : each) };
}

function timelineStruct(info: StructObject): StructObject | undefined {
  return chained(info, STYPE.VULKAN_1_2_FEATURES) ?? chained(info, STYPE.TIMELINE_SEMAPHORE_FEATURES);
}

function hasTimeline(info: StructObject): boolean {
  return timelineStruct(info)?.timelineSemaphore === true;
}

/** The first queue that the application asked for, and can be got by vkGetDeviceQueue. */
function ownQueue(info: StructObject): QueuePlace | undefined {
  const first = (info.pQueueCreateInfos as StructObject[] ?? []).find(isPlain);
  return first && { family: first.queueFamilyIndex as number, index: 0, isPrivate: false };
}

/** One queue more, of a family that has one left: of one that is used if possible. */
function privateQueue(
  info: StructObject,
  { queues }: GpuFacts,
): { info: StructObject; place: QueuePlace } | undefined {
  const infos = info.pQueueCreateInfos as StructObject[] ?? [];
  const used = new Map(infos.map((each) => [each.queueFamilyIndex as number, each]));
  const extended = infos.findIndex((each) =>
    isPlain(each) && countOf(each) < queues[each.queueFamilyIndex as number].count
  );
  if (extended >= 0) {
    const chosen = infos[extended], priorities = chosen.pQueuePriorities as number[];
    const larger = { ...chosen, queueCount: undefined, pQueuePriorities: [...priorities, 1] };
    return {
      info: { ...info, queueCreateInfoCount: undefined, pQueueCreateInfos: infos.with(extended, larger) },
      place: { family: chosen.queueFamilyIndex as number, index: priorities.length, isPrivate: true },
    };
  }
  const family = queues.findIndex(({ count, canWork }, index) => count > 0 && canWork && !used.has(index));
  if (family < 0 || infos.length === 0) return undefined;
  const more = [...infos, { queueFamilyIndex: family, pQueuePriorities: [1] }];
  return {
    info: { ...info, queueCreateInfoCount: undefined, pQueueCreateInfos: more },
    place: { family, index: 0, isPrivate: true },
  };
}

function isPlain(info: StructObject): boolean {
  return !(info.flags as number);
}

function countOf(info: StructObject): number {
  return (info.pQueuePriorities as number[]).length;
}
