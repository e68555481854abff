import { STATUS } from "../android_values.ts";
import {
  VK_ERROR_DEVICE_LOST,
  VK_ERROR_EXTENSION_NOT_PRESENT,
  VK_ERROR_FEATURE_NOT_PRESENT,
  VK_ERROR_FORMAT_NOT_SUPPORTED,
  VK_ERROR_INITIALIZATION_FAILED,
  VK_ERROR_NATIVE_WINDOW_IN_USE_KHR,
  VK_ERROR_OUT_OF_DATE_KHR,
  VK_ERROR_OUT_OF_DEVICE_MEMORY,
  VK_ERROR_OUT_OF_HOST_MEMORY,
  VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT,
  VK_ERROR_SURFACE_LOST_KHR,
  VK_INCOMPLETE,
  VK_NOT_READY,
  VK_SUBOPTIMAL_KHR,
  VK_SUCCESS,
  VK_TIMEOUT,
} from "../../loader/gen/native_gen.ts";

/** The VkResults of a window system. */
export const VK = {
  SUCCESS: VK_SUCCESS,
  NOT_READY: VK_NOT_READY,
  TIMEOUT: VK_TIMEOUT,
  INCOMPLETE: VK_INCOMPLETE,
  SUBOPTIMAL: VK_SUBOPTIMAL_KHR,
  OUT_OF_HOST_MEMORY: VK_ERROR_OUT_OF_HOST_MEMORY,
  OUT_OF_DEVICE_MEMORY: VK_ERROR_OUT_OF_DEVICE_MEMORY,
  INITIALIZATION_FAILED: VK_ERROR_INITIALIZATION_FAILED,
  DEVICE_LOST: VK_ERROR_DEVICE_LOST,
  EXTENSION_NOT_PRESENT: VK_ERROR_EXTENSION_NOT_PRESENT,
  FEATURE_NOT_PRESENT: VK_ERROR_FEATURE_NOT_PRESENT,
  FORMAT_NOT_SUPPORTED: VK_ERROR_FORMAT_NOT_SUPPORTED,
  SURFACE_LOST: VK_ERROR_SURFACE_LOST_KHR,
  NATIVE_WINDOW_IN_USE: VK_ERROR_NATIVE_WINDOW_IN_USE_KHR,
  OUT_OF_DATE: VK_ERROR_OUT_OF_DATE_KHR,
  PRESENT_TIMING_QUEUE_FULL: VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT,
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
