import { closeDescriptor, createPipe, POLL, pollDescriptors, signalEvent } from "../../ffi/file_descriptor.ts";
import { VulkanError } from "../../loader/error.ts";
import type { VkFence, VkSemaphore } from "../../loader/types.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { drawColor } from "./draw_color.ts";
import { seen, type Trial } from "./trial.ts";
import type { TrialBench } from "./trial_bench.ts";
import type { TrialImage } from "./trial_images.ts";

const SOURCE = "vk_android_native_buffer.h; Android's implementation guide for Vulkan, window system integration";
const NANOSECONDS = 1_000_000n;
/** How long what waits is watched while it is to wait. */
const GRACE = 20n * NANOSECONDS;

/** VK32 to VK34: the beginning and the end of frames. */
export const FRAME_TRIALS: readonly Trial[] = [
  {
    id: "VK32",
    rule: "vulkan.native-buffer.acquire",
    requirement:
      "vkAcquireImageANDROID with -1 or a signalled fence signals the semaphore and the VkFence; both may be left out.",
    source: SOURCE,
    run: acquireSignalled,
  },
  {
    id: "VK32",
    rule: "vulkan.native-buffer.acquire-closes",
    requirement: "The driver closes the file descriptor that vkAcquireImageANDROID was given, whatever comes of it.",
    source: SOURCE,
    run: acquireCloses,
  },
  {
    id: "VK32",
    rule: "vulkan.native-buffer.acquire-waits",
    requirement: "What waits for an acquired image goes on when its native fence is signalled, and not before.",
    source: SOURCE,
    run: acquireWaits,
  },
  {
    id: "VK33",
    rule: "vulkan.native-buffer.release",
    requirement: "The fence of vkQueueSignalReleaseImageANDROID is signalled when what was drawn is in the buffer.",
    source: SOURCE,
    run: releaseShows,
  },
  {
    id: "VK34",
    rule: "vulkan.native-buffer.release-again",
    requirement: "An image that is shared is released again and again without an acquire between.",
    source: SOURCE,
    run: releaseAgain,
  },
];

/** A semaphore and a VkFence, destroyed at the end of the scope. */
function signals({ device }: TrialBench): { semaphore: VkSemaphore; fence: VkFence } & Disposable {
  const semaphore = device.vkCreateSemaphore({}), fence = device.vkCreateFence({});
  return {
    semaphore,
    fence,
    [Symbol.dispose]() {
      device.vkDestroySemaphore(semaphore);
      device.vkDestroyFence(fence);
    },
  };
}

function isSignalled({ device, patience }: TrialBench, fence: VkFence): boolean {
  return device.vkWaitForFences([fence], true, BigInt(patience) * NANOSECONDS) === 0;
}

function acquireSignalled(bench: TrialBench): ReturnType<Trial["run"]> {
  const { device } = bench, { image } = bench.images.make(), done: string[] = [];
  device.vkAcquireImageANDROID(image, -1);
  for (const [name, fd] of [["-1", () => -1], ["a signalled fence", () => releaseFence(bench, image)]] as const) {
    using objects = signals(bench);
    device.vkAcquireImageANDROID(image, fd(), objects.semaphore, objects.fence);
    if (!isSignalled(bench, objects.fence)) return seen(false, `with ${name} the VkFence was never signalled`);
    using after = signals(bench);
    bench.queue.vkQueueSubmit([{ pWaitSemaphores: [objects.semaphore], pWaitDstStageMask: [0x10000] }], after.fence);
    if (!isSignalled(bench, after.fence)) return seen(false, `with ${name} the semaphore was never signalled`);
    done.push(name);
  }
  return seen(true, `semaphore and VkFence were signalled with ${done.join(" and with ")}`);
}

/** A fence as the driver itself makes them, signalled. */
function releaseFence({ queue, patience }: TrialBench, image: TrialImage["image"]): number {
  const fence = NativeFence.adopt(queue.vkQueueSignalReleaseImageANDROID(null, image));
  fence.wait(patience);
  return fence.take();
}

/** A pipe tells whether its other end is open anywhere, whatever its number is used for by then. */
function acquireCloses(bench: TrialBench): ReturnType<Trial["run"]> {
  const pipe = createPipe();
  if (!pipe) return { status: "report", found: "there are no file descriptors left to try it with" };
  const { image } = bench.images.make();
  signalEvent(pipe.write);
  let came = "taken";
  try {
    bench.device.vkAcquireImageANDROID(image, pipe.read);
  } catch (error) {
    if (!(error instanceof VulkanError)) closeDescriptor(pipe.read); // it never got there
    came = `refused (${(error as Error).message})`;
  }
  bench.device.vkDeviceWaitIdle();
  const isClosed = (pollDescriptors([pipe.write], 0)[0] & POLL.ERR) !== 0;
  closeDescriptor(pipe.write);
  return seen(isClosed, `a file descriptor that was ${came} is ${isClosed ? "closed" : "still open"}`);
}

function acquireWaits(bench: TrialBench): ReturnType<Trial["run"]> {
  if (!bench.followsFences) {
    return { status: "report", found: "not tried: only a fence of the driver's kind could be pending" };
  }
  const { fence: native, signal } = NativeFence.create(), { image } = bench.images.make();
  using objects = signals(bench), after = signals(bench);
  try {
    bench.device.vkAcquireImageANDROID(image, native.take(), objects.semaphore);
    bench.queue.vkQueueSubmit([{ pWaitSemaphores: [objects.semaphore], pWaitDstStageMask: [0x10000] }], after.fence);
    if (bench.device.vkWaitForFences([after.fence], true, GRACE) === 0) {
      return seen(false, "what waits went on before the fence");
    }
  } finally {
    signal();
    native.close();
  }
  const went = isSignalled(bench, after.fence);
  return seen(went, went ? "what waited went on with the fence" : "what waited never went on");
}

function releaseShows(bench: TrialBench): ReturnType<Trial["run"]> {
  const shown = bench.images.make(), { image, buffer } = shown;
  using acquired = signals(bench), drawn = signals(bench);
  bench.device.vkAcquireImageANDROID(image, -1, acquired.semaphore);
  using drawing = drawColor(bench, shown, { wait: acquired.semaphore, signal: drawn.semaphore });
  using fence = NativeFence.adopt(bench.queue.vkQueueSignalReleaseImageANDROID([drawn.semaphore], image));
  if (!fence.wait(bench.patience)) return seen(false, "the fence was never signalled");
  const wrong = drawing.wrongPixels(buffer);
  const found = wrong === 0 ? "every pixel was in the buffer" : `${wrong} pixels were not in the buffer`;
  return seen(wrong === 0, found);
}

function releaseAgain(bench: TrialBench): ReturnType<Trial["run"]> {
  const { image } = bench.images.make();
  bench.device.vkAcquireImageANDROID(image, -1);
  for (let round = 1; round <= 3; round++) {
    using fence = NativeFence.adopt(bench.queue.vkQueueSignalReleaseImageANDROID(null, image));
    if (!fence.wait(bench.patience)) return seen(false, `the fence of release ${round} was never signalled`);
  }
  return seen(true, "three times");
}
