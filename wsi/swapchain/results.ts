import { STATUS } from "../status.ts";

/** The VkResults of a window system. */
export const VK = {
  SUCCESS: 0,
  NOT_READY: 1,
  TIMEOUT: 2,
  INCOMPLETE: 5,
  SUBOPTIMAL: 1000001003,
  OUT_OF_HOST_MEMORY: -1,
  OUT_OF_DEVICE_MEMORY: -2,
  INITIALIZATION_FAILED: -3,
  DEVICE_LOST: -4,
  EXTENSION_NOT_PRESENT: -7,
  FEATURE_NOT_PRESENT: -8,
  FORMAT_NOT_SUPPORTED: -11,
  SURFACE_LOST: -1000000000,
  NATIVE_WINDOW_IN_USE: -1000000001,
  OUT_OF_DATE: -1000001004,
  PRESENT_TIMING_QUEUE_FULL: -1000208000,
} as const;

/** The results from the worst on: vkQueuePresentKHR returns the worst result of several swapchains. */
const SEVERITY: readonly number[] = [
  VK.DEVICE_LOST,
  VK.SURFACE_LOST,
  VK.OUT_OF_DATE,
  VK.OUT_OF_DEVICE_MEMORY,
  VK.OUT_OF_HOST_MEMORY,
  VK.PRESENT_TIMING_QUEUE_FULL,
  VK.SUBOPTIMAL,
];

/** The worse of two results. */
export function worse(one: number, other: number): number {
  return rank(one) <= rank(other) ? one : other;
}

function rank(result: number): number {
  const index = SEVERITY.indexOf(result);
  return index >= 0 ? index : result < 0 ? 0 : SEVERITY.length;
}

/** The VkResult for a status of dequeueBuffer during the creation of a swapchain. */
export function creationResult(status: number): number {
  return status === STATUS.NO_MEMORY ? VK.OUT_OF_DEVICE_MEMORY : VK.SURFACE_LOST;
}
