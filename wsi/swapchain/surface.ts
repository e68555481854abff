import type { Window } from "../contract/window.ts";

/** A VkSurfaceKHR on a native window. */
export interface Surface {
  /** Its handle. */
  readonly handle: bigint;
  /** The instance it belongs to. */
  readonly instance: bigint;
  /** The window. */
  readonly window: Window;
  /** The usage bits that the window's consumer wants. */
  readonly consumerUsage: bigint;
  /** The swapchain that draws into it; 0n for none. */
  swapchain: bigint;
  /** Whether a swapchain was ever made for it: the next must connect anew. */
  used: boolean;
}
