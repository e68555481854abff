import { ARBITRARY } from "./color_space.ts";
import type { Window } from "../contract/window.ts";
import { PRESENT_MODE } from "./surface_capabilities.ts";
import { isSharedMode } from "./surface_capabilities.ts";
import { inverseTransform } from "./transform.ts";

/** What a window is told before a swapchain draws into it. */
export interface WindowSettings {
  /** VkPresentModeKHR. */
  readonly mode: number;
  /** HAL_PIXEL_FORMAT. */
  readonly format: number;
  /** `android_dataspace`. */
  readonly dataspace: number;
  readonly extent: { readonly width: number; readonly height: number };
  /** VkSurfaceTransformFlagBitsKHR. */
  readonly preTransform: number;
}

const SCALE_TO_WINDOW = 1;

/** Tells a window all of it in Android's order; the first status that is an error, else 0. */
export function configureWindow(window: Window, settings: WindowSettings): number {
  const { mode, format, dataspace, extent, preTransform } = settings, shared = isSharedMode(mode);
  const continuous = mode === PRESENT_MODE.SHARED_CONTINUOUS_REFRESH;
  const steps: (() => number)[] = [
    () => window.setDequeueTimeout(-1n),
    () => window.setSwapInterval(mode === PRESENT_MODE.MAILBOX ? 0 : 1),
    () => window.setSharedBufferMode(false),
    () => window.setAutoRefresh(false),
    () => window.setBuffersFormat(format),
    () => dataspace === ARBITRARY ? 0 : window.setBuffersDataspace(dataspace),
    () => window.setBuffersDimensions(extent.width, extent.height),
    () => window.setBuffersTransform(inverseTransform(preTransform)),
    () => window.setScalingMode(SCALE_TO_WINDOW),
    () => shared ? window.setSharedBufferMode(true) : 0,
    () => continuous ? window.setAutoRefresh(true) : 0,
  ];
  for (const step of steps) {
    const status = step();
    if (status < 0) return status;
  }
  return 0;
}
