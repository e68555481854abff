import { closeDescriptor, createPipe, POLL, pollDescriptors, signalEvent } from "../../ffi/file_descriptor.ts";
import { peek8, poke8 } from "../../ffi/machine.ts";
import { VulkanError } from "../../loader/error.ts";
import type { VkFence, VkSemaphore } from "../../loader/types.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { drawColor } from "./draw_color.ts";
import { BINDING_REVISION, IMAGE } from "./image_trials.ts";
import { occupy } from "./occupy.ts";
import { seen, type Trial } from "./trial.ts";
import type { TrialBench } from "./trial_bench.ts";
import type { TrialImage } from "./trial_images.ts";

const SOURCE = "vk_android_native_buffer.h; Android's implementation guide for Vulkan, window system integration";
const NANOSECONDS = 1_000_000n;
/** What a byte behind the last row holds until somebody writes it. */
const UNTOUCHED = 0x5a;
/** How long what waits is watched while it is to wait. */
const GRACE = 20n * NANOSECONDS;

/** What has to hold before anything can be drawn, and before what was drawn can be looked at. */
const ACQUIRE = "vulkan.native-buffer.acquire", RELEASE = "vulkan.native-buffer.release";

/** VK31 to VK34: the beginning and the end of frames, and what is seen of them. */
export const FRAME_TRIALS: readonly Trial[] = [
  {
    id: "VK32",
    rule: ACQUIRE,
    needs: [IMAGE],
    requirement:
      "vkAcquireImageANDROID with -1 or a signalled fence signals the semaphore and the VkFence; both may be left out.",
    source: SOURCE,
    run: acquireSignalled,
  },
  {
    id: "VK32",
    rule: "vulkan.native-buffer.acquire-closes",
    needs: [IMAGE],
    requirement: "The driver closes the file descriptor that vkAcquireImageANDROID was given, whatever comes of it.",
    source: SOURCE,
    run: acquireCloses,
  },
  {
    id: "VK32",
    rule: "vulkan.native-buffer.acquire-waits",
    needs: [ACQUIRE],
    requirement: "What waits for an acquired image goes on when its native fence is signalled, and not before.",
    source: SOURCE,
    run: acquireWaits,
  },
  {
    id: "VK33",
    rule: RELEASE,
    needs: [ACQUIRE],
    requirement: "The fence of vkQueueSignalReleaseImageANDROID is signalled when what was drawn is in the buffer.",
    source: SOURCE,
    run: releaseShows,
  },
  {
    id: "VK34",
    rule: "vulkan.native-buffer.release-again",
    needs: [ACQUIRE],
    requirement: "An image that is shared is released again and again without an acquire between.",
    source: SOURCE,
    run: releaseAgain,
  },
  {
    id: "VK31",
    rule: "vulkan.native-buffer.bind",
    needs: [RELEASE],
    requirement: "An image made with VkImageSwapchainCreateInfoKHR is bound to a buffer by vkBindImageMemory2.",
    source: SOURCE,
    run: bindLater,
  },
  {
    id: "VK33",
    rule: "vulkan.native-buffer.rows",
    needs: [RELEASE],
    requirement: "Nothing is written behind a buffer's last row: a phone's gralloc need not have room there.",
    source: SOURCE,
    run: touchesRows,
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
  if (!bench.followsFences) return acquireFollowsDriver(bench);
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

/**
 * With the only pending fence that such a driver takes: its own, of a release
 * behind much work. What waits for it is on another queue, which is free, if
 * there is another.
 */
function acquireFollowsDriver(bench: TrialBench): ReturnType<Trial["run"]> {
  const { device, busyQueue } = bench, first = bench.images.make(), second = bench.images.make();
  device.vkAcquireImageANDROID(first.image, -1);
  using _work = occupy(bench, busyQueue);
  using native = NativeFence.adopt(busyQueue.queue.vkQueueSignalReleaseImageANDROID(null, first.image));
  if (native.poll()) return { status: "report", found: "not tried: the driver itself waits, its fences are signalled" };
  using objects = signals(bench);
  device.vkAcquireImageANDROID(second.image, native.dup().take(), null, objects.fence);
  for (const end = performance.now() + bench.patience; performance.now() < end;) {
    if (device.vkWaitForFences([objects.fence], true, NANOSECONDS) !== 0) continue;
    const inTime = native.poll(); // asked afterwards: one that came in time is signalled by now
    return seen(inTime, inTime ? "it went on with the driver's own fence" : "it went on before the driver's own fence");
  }
  return seen(false, "it never went on");
}

function releaseShows(bench: TrialBench): ReturnType<Trial["run"]> {
  return shows(bench, bench.images.make());
}

function bindLater(bench: TrialBench): ReturnType<Trial["run"]> {
  const { revision } = bench;
  if (revision >= BINDING_REVISION) return shows(bench, bench.images.makeBound(), "bound, and ");
  return { status: "not-applicable", found: `came with revision ${BINDING_REVISION}; there is ${revision}` };
}

/** Draws a whole frame into an image, and looks whether it is in the buffer. */
function shows(bench: TrialBench, shown: TrialImage, before = ""): ReturnType<Trial["run"]> {
  const { image, buffer } = shown;
  using acquired = signals(bench), drawn = signals(bench);
  bench.device.vkAcquireImageANDROID(image, -1, acquired.semaphore);
  using drawing = drawColor(bench, shown, { wait: acquired.semaphore, signal: drawn.semaphore });
  using fence = NativeFence.adopt(bench.queue.vkQueueSignalReleaseImageANDROID([drawn.semaphore], image));
  if (!fence.wait(bench.patience)) return seen(false, "the fence was never signalled");
  const wrong = drawing.wrongPixels(buffer);
  const found = wrong === 0 ? "every pixel was in the buffer" : `${wrong} pixels were not in the buffer`;
  return seen(wrong === 0, before + found);
}

/** Only drivers of real phones can be helped by knowing: here there are whole blocks of rows. */
function touchesRows(bench: TrialBench): ReturnType<Trial["run"]> {
  const shown = bench.images.make(), { memory, rowPitch, height } = shown.buffer, end = rowPitch * height;
  const size = memory.size - end;
  if (size === 0) return { status: "report", found: "not tried: the buffer ends with a page" };
  const behind = Array.from({ length: size }, (_, index) => memory.address + BigInt(end + index));
  for (const at of behind) poke8(at, UNTOUCHED);
  const drawn = shows(bench, shown);
  if (drawn.status !== "pass") return drawn;
  const changed = behind.filter((at) => peek8(at) !== UNTOUCHED).length;
  if (changed === 0) return seen(true, "nothing behind the last row was written");
  return {
    status: "report",
    found: `${changed} bytes behind the last row were written, which gralloc must have room for`,
  };
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
