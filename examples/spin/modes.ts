import {
  VK_PRESENT_MODE_FIFO_KHR,
  VK_PRESENT_MODE_FIFO_LATEST_READY_KHR,
  VK_PRESENT_MODE_MAILBOX_KHR,
  VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR,
  VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR,
  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_MODE_FIFO_LATEST_READY_FEATURES_KHR,
  type VkDeviceCreateInfo,
  type VkPresentModeKHR,
} from "@pumice/gfx/vk";

/** A present mode, and what a device needs for it. */
export interface Mode {
  /** The mode's value. */
  readonly presentMode: VkPresentModeKHR;
  /** Whether application and consumer share one image. */
  readonly isShared: boolean;
  /** Whether the consumer looks by itself, once a refresh, from the first frame on. */
  readonly refreshes?: boolean;
  /** Device extensions beside VK_KHR_swapchain. */
  readonly extensions: readonly string[];
  /** Features to enable. */
  readonly features: VkDeviceCreateInfo["pNext"];
}

/** Names of the present modes on command lines. */
export type ModeName = "fifo" | "mailbox" | "fifo-latest-ready" | "shared-demand" | "shared-continuous";

const SHARED = { isShared: true, extensions: ["VK_KHR_shared_presentable_image"], features: undefined };
const QUEUED = { isShared: false, extensions: [], features: undefined };

/** The modes by name. */
export const MODES: Readonly<Record<ModeName, Mode>> = {
  "fifo": { ...QUEUED, presentMode: VK_PRESENT_MODE_FIFO_KHR },
  "mailbox": { ...QUEUED, presentMode: VK_PRESENT_MODE_MAILBOX_KHR },
  "fifo-latest-ready": {
    presentMode: VK_PRESENT_MODE_FIFO_LATEST_READY_KHR,
    isShared: false,
    extensions: ["VK_EXT_present_mode_fifo_latest_ready"],
    features: [{
      sType: VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_MODE_FIFO_LATEST_READY_FEATURES_KHR,
      presentModeFifoLatestReady: true,
    }],
  },
  "shared-demand": { ...SHARED, presentMode: VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR },
  "shared-continuous": {
    ...SHARED,
    presentMode: VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR,
    refreshes: true,
  },
};

/** Whether a text names a mode. */
export function isModeName(text: string): text is ModeName {
  return Object.hasOwn(MODES, text);
}
