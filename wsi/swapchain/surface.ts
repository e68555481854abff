import type { Window } from "../contract/window.ts";

/** A VkSurfaceKHR on a native window. */
export interface Surface {
  /** The VkSurfaceKHR. */
  readonly handle: bigint;
  /** The instance of the surface. */
  readonly instance: bigint;
  /** The window. */
  readonly window: Window;
  /** The usage bits that the window's consumer wants. */
  readonly consumerUsage: bigint;
  /** The current swapchain; 0n for none. */
  swapchain: bigint;
  /** Whether the surface has had a swapchain: the next swapchain must connect to the window anew. */
  used: boolean;
}
