import { VK } from "./results.ts";
import type { Swapchain } from "./swapchain.ts";

/**
 * vkWaitForPresent2KHR and vkWaitForPresentKHR. Nothing is shown while this
 * thread waits but what its consumer shows when it is asked to, which it is:
 * if that does not help, waiting longer would not.
 */
export function waitForPresent(swapchain: Swapchain, presentId: bigint): number {
  const { surface, history } = swapchain;
  if (!surface || !swapchain.isCurrent) return VK.OUT_OF_DATE;
  if (history.isPresented(surface.window, presentId)) return VK.SUCCESS;
  surface.window.pump?.();
  return history.isPresented(surface.window, presentId) ? VK.SUCCESS : VK.TIMEOUT;
}
