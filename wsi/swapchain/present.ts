import { poke32 } from "../../ffi/machine.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { Rect, Window } from "../contract/window.ts";
import type { Below, WindowSystem } from "./environment.ts";
import { releaseImage } from "./native_images.ts";
import { destroyRetired, orphan } from "./end_swapchain.ts";
import { PresentInfo } from "./present_info.ts";
import { VK, worse } from "./results.ts";
import { isSharedMode, PRESENT_MODE, surfaceTransform } from "./surface_capabilities.ts";
import type { Swapchain, SwapchainImage } from "./swapchain.ts";

const NOTHING = { count: 0, semaphores: 0n } as const;

/** vkQueuePresentKHR for swapchains that all belong to the window system. */
export function present(system: WindowSystem, context: Below, queue: bigint, address: bigint): number {
  const info = new PresentInfo(address), { count, results } = info;
  let worst: number = VK.SUCCESS, isWaited = false;
  // All swapchains are checked before the first present, because a present cannot be undone.
  for (let index = 0; index < count; index++) {
    system.swapchains.get(info.swapchain(index))!.imageAt(info.imageIndex(index));
  }
  for (let index = 0; index < count; index++) {
    const swapchain = system.swapchains.get(info.swapchain(index))!;
    const waits = isWaited && !system.isFaithful ? NOTHING : { count: info.waitCount, semaphores: info.waits };
    const result = presentOne(system, context, { queue, info, index, waits }, swapchain);
    isWaited = true;
    if (results !== 0n) poke32(results + 4n * BigInt(index), result);
    worst = worse(worst, result);
  }
  return worst;
}

/** One presented image. */
interface Presentation {
  readonly queue: bigint;
  readonly info: PresentInfo;
  readonly index: number;
  /** The semaphores to wait for. Only the first of several swapchains waits; then the semaphores are unsignalled. */
  readonly waits: { readonly count: number; readonly semaphores: bigint };
}

function presentOne(system: WindowSystem, context: Below, shown: Presentation, swapchain: Swapchain): number {
  const { queue, info, index, waits } = shown, image = swapchain.imageAt(info.imageIndex(index));
  const fence = releaseImage(context, swapchain.device, queue, waits, image.image);
  let result = typeof fence === "number" ? fence : VK.SUCCESS;
  if (typeof fence !== "number") {
    image.releaseFence?.close();
    image.releaseFence = fence.dup();
    signalFence(context, shown);
  }
  if (!swapchain.isCurrent) {
    if (typeof fence !== "number") fence.close();
    destroyRetired(context, swapchain, image);
    return result < 0 ? result : VK.OUT_OF_DATE;
  }
  if (typeof fence !== "number" && swapchain.history.isFullFor(info, index)) {
    fence.close(); // the image stays acquired, so that it can be presented again with a smaller request
    return VK.PRESENT_TIMING_QUEUE_FULL;
  }
  if (typeof fence !== "number") result = queueImage(system, swapchain, { image, fence, shown });
  if (result !== VK.SUCCESS) orphan(context, swapchain);
  return result < 0 ? result : checkTransform(swapchain);
}

/** Signals the fence of VK_EXT_swapchain_maintenance1, by an empty submission after the wait for the semaphores. */
function signalFence(context: Below, { queue, info, index }: Presentation): void {
  const fence = info.fence(index);
  if (fence !== 0n) context.below(queue).vkQueueSubmit(queue, 0, 0n, fence);
}

interface Queued {
  readonly image: SwapchainImage;
  readonly fence: NativeFence;
  readonly shown: Presentation;
}

/** Tells the window about the frame and gives it the buffer. */
function queueImage(system: WindowSystem, swapchain: Swapchain, { image, fence, shown }: Queued): number {
  const { window } = swapchain.surface!, { info, index } = shown;
  if (changeMode(swapchain, window, info.mode(index)) < 0) {
    fence.close();
    return VK.SURFACE_LOST;
  }
  if (swapchain.mode !== PRESENT_MODE.MAILBOX) {
    const damage = info.damage(index), { height } = swapchain.extent;
    if (damage.length > 0 || swapchain.hadDamage) {
      window.setSurfaceDamage(system.isFaithful ? damage.map((rect) => mirrored(rect, height)) : damage);
    }
    swapchain.hadDamage = damage.length > 0;
  }
  swapchain.history.willQueue(window, info, index);
  if (window.queueBuffer(image.buffer!, fence) < 0) return VK.SURFACE_LOST;
  image.dequeueFence?.close();
  image.dequeueFence = undefined;
  image.dequeued = false;
  return isSharedMode(swapchain.mode) ? dequeueShared(swapchain, image) : VK.SUCCESS;
}

/** Dequeues the only buffer of a shared image, which belongs to the swapchain at once. */
function dequeueShared({ surface }: Swapchain, image: SwapchainImage): number {
  const dequeued = surface!.window.dequeueBuffer();
  if (typeof dequeued === "number") return VK.SURFACE_LOST;
  if (dequeued.buffer.id !== image.buffer!.id) {
    surface!.window.cancelBuffer(dequeued.buffer, dequeued.fence);
    return VK.SURFACE_LOST;
  }
  image.dequeueFence = dequeued.fence;
  image.dequeued = true;
  return VK.SUCCESS;
}

/** Changes a shared mode between demand and continuous refresh. Other modes stay as they are. */
function changeMode(swapchain: Swapchain, window: Window, mode: number | undefined): number {
  if (mode === undefined || mode === swapchain.mode || !isSharedMode(mode) || !isSharedMode(swapchain.mode)) return 0;
  const status = window.setAutoRefresh(mode === PRESENT_MODE.SHARED_CONTINUOUS_REFRESH);
  if (status >= 0) swapchain.mode = mode;
  return status;
}

/** Returns SUBOPTIMAL if the window is rotated differently than the images: the only reason in Android's swapchains. */
function checkTransform({ surface, preTransform }: Swapchain): number {
  if (!surface) return VK.SUCCESS;
  const hint = surface.window.query("TRANSFORM_HINT");
  if (hint < 0) return VK.SURFACE_LOST;
  return surfaceTransform(hint) === preTransform ? VK.SUCCESS : VK.SUBOPTIMAL;
}

/** The rectangle as AOSP's window gets it, which counts rows from the bottom. */
function mirrored({ left, top, right, bottom }: Rect, height: number): Rect {
  return { left, top: height - bottom, right, bottom: height - top };
}

/**
 * vkWaitForPresent2KHR and vkWaitForPresentKHR. While this thread waits, frames are shown only if the window asks its
 * consumer to show them, so the window asks. If that does not help, a longer wait would not help either.
 */
export function waitForPresent(swapchain: Swapchain, presentId: bigint): number {
  const { surface, history } = swapchain;
  if (!surface || !swapchain.isCurrent) return VK.OUT_OF_DATE;
  if (history.isPresented(surface.window, presentId)) return VK.SUCCESS;
  surface.window.pump?.();
  return history.isPresented(surface.window, presentId) ? VK.SUCCESS : VK.TIMEOUT;
}
