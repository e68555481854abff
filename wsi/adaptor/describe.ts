import type { AdaptorDevice } from "./adaptor_device.ts";
import type { AdaptorTier, SemaphoreKind } from "./options.ts";
import type { QueuePlace } from "./device_plan.ts";

/** What images of a format and usage are on. */
export interface FormatDescription {
  /** VkFormat. */
  readonly format: number;
  /** VkImageUsageFlags. */
  readonly usage: number;
  /** Where their pixels are. */
  readonly tier: AdaptorTier;
  /** Why. */
  readonly why: string;
  /** How often the pixels of a frame are copied. */
  readonly copies: number;
}

/** How the adaptor does its part on a device. */
export interface DeviceDescription {
  /** The formats that were used so far. */
  readonly formats: readonly FormatDescription[];
  /** The queue for acquire operations; `undefined` when there is none. */
  readonly queue: QueuePlace | undefined;
  /** How the application's binary semaphores are made. */
  readonly semaphores: SemaphoreKind;
  /** Whether releases are on timeline semaphores; else each of them waits. */
  readonly timeline: boolean;
  /** Whether the driver imports memory of the host. */
  readonly hostImport: boolean;
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
  };
}
