import type { VkInstance, VkSurfaceKHR } from "../../../../loader/types.ts";
import { record } from "../../record.ts";

const COLOR_ATTACHMENT_AND_TRANSFER_DST = 0x12, COLOR = { aspectMask: 1, levelCount: 1, layerCount: 1 };
const UNDEFINED = 0, TRANSFER_DST = 7, PRESENT_SRC = 1000001002;

/**
 * Clears the images of a surface that native code made and presents them, from
 * TypeScript, on the instance that native code made. Returns how many frames
 * were taken, and the size of the surface.
 */
export function present(instance: VkInstance, surface: bigint, frames = 3): { presented: number; size: number[] } {
  const target = surface as VkSurfaceKHR;
  const gpu = instance.vkEnumeratePhysicalDevices().find((each) =>
    each.vkGetPhysicalDeviceSurfaceSupportKHR(0, target)
  )!;
  using device = gpu.vkCreateDevice({
    pQueueCreateInfos: [{ queueFamilyIndex: 0, pQueuePriorities: [1] }],
    ppEnabledExtensionNames: ["VK_KHR_swapchain"],
  });
  const { currentExtent, minImageCount } = gpu.vkGetPhysicalDeviceSurfaceCapabilitiesKHR(target);
  const [{ format, colorSpace }] = gpu.vkGetPhysicalDeviceSurfaceFormatsKHR(target);
  const swapchain = device.vkCreateSwapchainKHR({
    surface: target,
    minImageCount,
    imageFormat: format,
    imageColorSpace: colorSpace,
    imageExtent: currentExtent,
    imageArrayLayers: 1,
    imageUsage: COLOR_ATTACHMENT_AND_TRANSFER_DST,
    preTransform: 1,
    compositeAlpha: 1,
    presentMode: 2,
    clipped: true,
  });
  const images = device.vkGetSwapchainImagesKHR(swapchain), queue = device.vkGetDeviceQueue(0, 0);
  const fence = device.vkCreateFence({});
  let presented = 0;
  for (let frame = 0; frame < frames; frame++) {
    const { imageIndex } = device.vkAcquireNextImageKHR(swapchain, 10n ** 9n, null, fence);
    device.vkWaitForFences([fence], true, 10n ** 9n);
    device.vkResetFences([fence]);
    const image = images[imageIndex];
    record(device, (commands) => {
      const barrier = { image, subresourceRange: COLOR, srcQueueFamilyIndex: ~0 >>> 0, dstQueueFamilyIndex: ~0 >>> 0 };
      commands.vkCmdPipelineBarrier(1, 0x1000, 0, null, null, [{
        ...barrier,
        oldLayout: UNDEFINED,
        newLayout: TRANSFER_DST,
        dstAccessMask: 0x1000,
      }]);
      commands.vkCmdClearColorImage(image, TRANSFER_DST, { float32: [0, 0.5, 1, 1] }, [COLOR]);
      commands.vkCmdPipelineBarrier(0x1000, 0x2000, 0, null, null, [{
        ...barrier,
        oldLayout: TRANSFER_DST,
        newLayout: PRESENT_SRC,
        srcAccessMask: 0x1000,
      }]);
    });
    if (queue.vkQueuePresentKHR({ pSwapchains: [swapchain], pImageIndices: [imageIndex] }) === 0) presented++;
  }
  device.vkDestroyFence(fence);
  device.vkDestroySwapchainKHR(swapchain);
  return { presented, size: [currentExtent.width!, currentExtent.height!] };
}
