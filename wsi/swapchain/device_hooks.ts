import { peek32, peek64, poke32, poke64 } from "../../ffi/machine.ts";
import type { Layer } from "../../loader/layer.ts";
import { acquireNext, type Acquisition, releaseImages } from "./acquire.ts";
import { bindImages } from "./make_images.ts";
import { createSwapchain } from "./create_swapchain.ts";
import { pastTimings, refreshCycle } from "./display_timing.ts";
import { destroySwapchain } from "./end_swapchain.ts";
import { answerList, fill } from "./out.ts";
import { present, waitForPresent } from "./present.ts";
import { pastStages, setQueueSize, timeDomains, timingProperties } from "./present_timing.ts";
import { VK } from "./results.ts";
import type { Swapchain } from "./swapchain.ts";
import {
  VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR,
  VkAcquireNextImageInfoKHR,
  VkPastPresentationTimingInfoEXT,
  VkPresentInfoKHR,
  VkPresentWait2InfoKHR,
} from "../../loader/gen/native_gen.ts";
import type { Below, Parts, WindowSystem } from "./environment.ts";

const LOCAL = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;

/** The hooks of the commands of devices and queues. Swapchains of the driver's own pass through. */
export function deviceHooks(parts: Parts): NonNullable<Layer["commands"]> {
  return { ...swapchainHooks(parts), ...presentHooks(parts), ...timingHooks(parts), ...groupHooks(parts) };
}

function swapchainHooks(parts: Parts): NonNullable<Layer["commands"]> {
  const { system } = parts, { swapchains } = system;
  return {
    vkCreateSwapchainKHR(next, device, info, allocator, out) {
      const read = parts.context.read("VkSwapchainCreateInfoKHR", info);
      if (!system.surfaces.get(read.surface as unknown as bigint)) return next(device, info, allocator, out);
      return createSwapchain(system, parts.context, parts.device(device), read, out);
    },
    vkDestroySwapchainKHR(next, device, handle, allocator) {
      const swapchain = swapchains.get(handle);
      if (swapchain) destroySwapchain(system, parts.context, swapchain);
      else if (handle !== 0n) next(device, handle, allocator);
    },
    vkGetSwapchainImagesKHR(next, device, handle, count, out) {
      const swapchain = swapchains.get(handle);
      if (!swapchain) return next(device, handle, count, out);
      return answerList(swapchain.images, count, out, ({ image }, index) => poke64(out + 8n * BigInt(index), image));
    },
    vkGetSwapchainStatusKHR(next, device, handle) {
      const swapchain = swapchains.get(handle);
      return swapchain ? swapchain.isCurrent ? VK.SUCCESS : VK.OUT_OF_DATE : next(device, handle);
    },
    vkReleaseSwapchainImagesEXT: (next, device, info) => releaseImages(parts.system, info) ?? next(device, info),
    vkReleaseSwapchainImagesKHR: (next, device, info) => releaseImages(parts.system, info) ?? next(device, info),
    vkBindImageMemory2: (next, device, count, infos) => next(device, count, bindImages(parts, count, infos)),
    vkBindImageMemory2KHR: (next, device, count, infos) => next(device, count, bindImages(parts, count, infos)),
    vkSetHdrMetadataEXT(next, device, count, handles, metadata) {
      const isOurs = count > 0 && swapchains.get(peek64(handles)) !== undefined;
      if (isOurs) setHdrMetadata(system, parts.context, { count, handles, metadata });
      else next(device, count, handles, metadata);
    },
  };
}

function presentHooks(parts: Parts): NonNullable<Layer["commands"]> {
  const { swapchains } = parts.system;
  const acquire = (swapchain: Swapchain, asked: Acquisition, out: bigint) =>
    acquireNext(parts.context, swapchain, asked, (index) => poke32(out, index));
  return {
    vkAcquireNextImageKHR(next, device, handle, timeout, semaphore, fence, out) {
      const swapchain = swapchains.get(handle);
      if (!swapchain) return next(device, handle, timeout, semaphore, fence, out);
      return acquire(swapchain, { timeout, semaphore, fence }, out);
    },
    vkAcquireNextImage2KHR(next, device, info, out) {
      const at = VkAcquireNextImageInfoKHR, swapchain = swapchains.get(peek64(info + at.swapchain));
      if (!swapchain) return next(device, info, out);
      const timeout = peek64(info + at.timeout);
      const semaphore = peek64(info + at.semaphore), fence = peek64(info + at.fence);
      return acquire(swapchain, { timeout, semaphore, fence }, out);
    },
    vkQueuePresentKHR(next, queue, info) {
      const count = peek32(info + VkPresentInfoKHR.swapchainCount);
      const handles = peek64(info + VkPresentInfoKHR.pSwapchains);
      let ours = 0;
      for (let index = 0; index < count; index++) if (swapchains.get(peek64(handles + 8n * BigInt(index)))) ours++;
      if (ours === 0) return next(queue, info);
      if (ours === count) return present(parts.system, parts.context, queue, info);
      throw new TypeError(
        "Cannot present to native windows and to windows of the driver's own at once: present to each kind by itself",
      );
    },
    vkWaitForPresentKHR(next, device, handle, presentId, timeout) {
      const swapchain = swapchains.get(handle);
      return swapchain ? waitForPresent(swapchain, presentId) : next(device, handle, presentId, timeout);
    },
    vkWaitForPresent2KHR(next, device, handle, info) {
      const swapchain = swapchains.get(handle);
      return swapchain
        ? waitForPresent(swapchain, peek64(info + VkPresentWait2InfoKHR.presentId))
        : next(device, handle, info);
    },
  };
}

function timingHooks({ system: { swapchains, release } }: Parts): NonNullable<Layer["commands"]> {
  return {
    vkGetRefreshCycleDurationGOOGLE(next, device, handle, out) {
      const swapchain = swapchains.get(handle);
      return swapchain ? refreshCycle(swapchain, out) : next(device, handle, out);
    },
    vkGetPastPresentationTimingGOOGLE(next, device, handle, count, out) {
      const swapchain = swapchains.get(handle);
      return swapchain ? pastTimings(swapchain, release, count, out) : next(device, handle, count, out);
    },
    vkSetSwapchainPresentTimingQueueSizeEXT(next, device, handle, size) {
      const swapchain = swapchains.get(handle);
      return swapchain ? setQueueSize(swapchain, size) : next(device, handle, size);
    },
    vkGetSwapchainTimingPropertiesEXT(next, device, handle, out, counter) {
      const swapchain = swapchains.get(handle);
      return swapchain ? timingProperties(swapchain, out, counter) : next(device, handle, out, counter);
    },
    vkGetSwapchainTimeDomainPropertiesEXT(next, device, handle, out, counter) {
      return swapchains.get(handle) ? timeDomains(out, counter) : next(device, handle, out, counter);
    },
    vkGetPastPresentationTimingEXT(next, device, info, out) {
      const swapchain = swapchains.get(peek64(info + VkPastPresentationTimingInfoEXT.swapchain));
      return swapchain
        ? pastStages(swapchain, peek32(info + VkPastPresentationTimingInfoEXT.flags), out)
        : next(device, info, out);
    },
  };
}

/** The hooks of device groups. Each group has one device. */
function groupHooks({ system }: Parts): NonNullable<Layer["commands"]> {
  return {
    vkGetDeviceGroupPresentCapabilitiesKHR(_next, _device, out) {
      const presentMask = Array.from({ length: 32 }, (_, index) => index === 0 ? 1 : 0);
      fill("VkDeviceGroupPresentCapabilitiesKHR", out, { presentMask, modes: LOCAL });
      return VK.SUCCESS;
    },
    vkGetDeviceGroupSurfacePresentModesKHR(next, device, surface, out) {
      if (!system.surfaces.get(surface)) return next(device, surface, out);
      poke32(out, LOCAL);
      return VK.SUCCESS;
    },
  };
}

/** vkSetHdrMetadataEXT, for the swapchains of the window system that are current. */
function setHdrMetadata(
  { swapchains }: WindowSystem,
  context: Below,
  { count, handles, metadata }: { readonly count: number; readonly handles: bigint; readonly metadata: bigint },
): void {
  (context.readAll("VkHdrMetadataEXT", metadata, count) ?? []).forEach((each, index) => {
    const swapchain = swapchains.get(peek64(handles + 8n * BigInt(index)));
    if (!swapchain?.isCurrent) return;
    const { window } = swapchain.surface!;
    window.setBuffersSmpte2086({
      red: each.displayPrimaryRed!,
      green: each.displayPrimaryGreen!,
      blue: each.displayPrimaryBlue!,
      white: each.whitePoint!,
      maxLuminance: each.maxLuminance!,
      minLuminance: each.minLuminance!,
    });
    window.setBuffersCta8613({
      maxContentLightLevel: each.maxContentLightLevel!,
      maxFrameAverageLightLevel: each.maxFrameAverageLightLevel!,
    });
  });
}
