import { peek32, peek64 } from "../../ffi/machine.ts";
import { cancelImage } from "./orphan.ts";
import { VK } from "./results.ts";
import { isSharedMode } from "./surface_capabilities.ts";
import type { Parts } from "./swapchain_layer.ts";

/** VkReleaseSwapchainImagesInfoKHR. */
const SWAPCHAIN = 16n, COUNT = 24n, INDICES = 32n;

/** vkReleaseSwapchainImagesKHR: acquired images go back to the window unshown; `undefined` when the swapchain is not ours. */
export function releaseImages({ system }: Parts, info: bigint): number | undefined {
  const swapchain = system.swapchains.get(peek64(info + SWAPCHAIN)), indices = peek64(info + INDICES);
  if (!swapchain) return undefined;
  if (isSharedMode(swapchain.mode)) return VK.SUCCESS;
  for (let index = 0; index < peek32(info + COUNT); index++) {
    const image = swapchain.images[peek32(indices + 4n * BigInt(index))];
    if (image) cancelImage(swapchain, image);
  }
  return VK.SUCCESS;
}
