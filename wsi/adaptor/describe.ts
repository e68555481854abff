import type { AdaptorDevice } from "./adaptor_device.ts";
import type { AdaptorTier, SemaphoreKind } from "./options.ts";
import type { QueuePlace } from "./device_plan.ts";

/** The tier of images of a format and usage. */
export interface FormatDescription {
  /** VkFormat. */
  readonly format: number;
  /** VkImageUsageFlags. */
  readonly usage: number;
  /** The place of the pixels. */
  readonly tier: AdaptorTier;
  /** Why this tier was chosen. */
  readonly why: string;
  /** Number of copies of a frame's pixels. */
  readonly copies: number;
}

/** The way in which the adaptor works on a device. */
export interface DeviceDescription {
  /** The formats that were used so far. */
  readonly formats: readonly FormatDescription[];
  /** The queue for acquire operations; `undefined` if there is none. */
  readonly queue: QueuePlace | undefined;
  /** The form of the application's binary semaphores. */
  readonly semaphores: SemaphoreKind;
  /** Whether releases use timeline semaphores; otherwise each release waits. */
  readonly timeline: boolean;
  /** Whether the driver imports host memory. */
  readonly hostImport: boolean;
  /** Whether the driver imports dma-bufs. */
  readonly dmaBufImport: boolean;
  /** Whether the driver imports sync_files that are pending into semaphores; otherwise the fence worker waits for them. */
  readonly syncFd: boolean;
  /** Whether frames end with sync_files that the driver exports; otherwise the fence worker waits for the driver. */
  readonly syncFdExport: boolean;
}

/** Describes a device as it is now. */
export function describeDevice({ tiers, plan, semaphores }: AdaptorDevice): DeviceDescription {
  return {
    formats: tiers.chosen.map(({ kind: { format, usage }, tier, why }) => ({
      format,
      usage,
      tier,
      why,
      copies: tier !== "staging" ? 0 : plan.hostImport ? 1 : 2,
    })),
    queue: plan.queue,
    semaphores: semaphores ? "virtual" : "native",
    timeline: plan.timeline,
    hostImport: plan.hostImport,
    dmaBufImport: plan.dmaBufImport,
    syncFd: plan.syncFd.semaphores,
    syncFdExport: plan.syncFd.exports && plan.timeline,
  };
}
