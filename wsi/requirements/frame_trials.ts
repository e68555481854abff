import { closeDescriptor, createPipe, POLL, pollDescriptors, signalEvent } from "../../ffi/file/file_descriptor.ts";
import { VulkanError } from "../../loader/error.ts";
import type { VkFence } from "../../loader/types.ts";
import { NativeFence } from "../fence/native_fence.ts";
import { BINDING_REVISION, IMAGE, SOURCE } from "./image_trials.ts";
import { occupy, type Trial, type TrialBench } from "./trial.ts";
import { shows, signals } from "./shown_frame.ts";
import { seen } from "../../loader/requirements/requirement.ts";
import type { Outcome } from "../../loader/requirements/verdict.ts";
import type { TrialImage } from "./trial_images.ts";
import { peek8, poke8 } from "../../ffi/machine.ts";
import { guardOthers } from "../buffer/guards.ts";

/** The rule that must hold before drawn pixels can be compared. */
const RELEASE = "vulkan.native-buffer.release";
/** The initial value of each byte behind the last row. */
const UNTOUCHED = 0x5a;
/** The signals for access to memory that is not mapped. */
const FAULTS = /SIGSEGV|SIGBUS/;
const ROOM = "which gralloc must have room for";

/** VK33. The result helps only drivers of real phones, because gralloc here allocates whole blocks of rows. */
const ROWS_TRIAL: Trial = {
  id: "VK33",
  rule: "vulkan.native-buffer.rows",
  needs: [RELEASE],
  requirement: "Nothing is read or written behind a buffer's last row: a phone's gralloc need not have room there.",
  source: SOURCE,
  check(bench) {
    const guarded = bench.mayDie ? touchesGuard(bench) : undefined;
    if (guarded && guarded.status !== "pass") return guarded;
    const written = writesBehind(bench);
    return guarded && written.status === "pass" ? guarded : written;
  },
  lost: (how) =>
    FAULTS.test(how)
      ? { status: "report", found: `memory behind the last row was read or written, ${ROOM}: ${how}` }
      : undefined,
};

/** The number of buffers that are tried until nothing but a page that ends the process follows each mapping of one. */
const PLACES = 16;

/**
 * Checks with a page behind the last row whose access ends the process, in the buffer's own mapping and in those that
 * the driver has made of its file. Nothing is drawn where other memory follows a mapping, since a driver that writes
 * behind the last row would change that memory; the next buffer lies elsewhere. Returns `undefined` if rows do not end
 * with a page, or if an access would not be seen.
 */
function touchesGuard(bench: TrialBench): Outcome | undefined {
  for (let left = PLACES; left > 0; left--) {
    const shown = bench.images.makeGuarded();
    if (!shown) return undefined;
    using guards = guardOthers(shown.buffer.memory);
    if (guards.bare > 0) continue;
    const drawn = shows(bench, shown, "", "triangles");
    if (drawn.status !== "pass") return drawn;
    const isUnseen = bench.own === "driver" && guards.mappings === 0; // such a driver maps it later
    return isUnseen ? undefined : seen(true, "nothing behind the last row was read or written");
  }
  return undefined;
}

/** Checks without any risk for the process; finds only writers. */
function writesBehind(bench: TrialBench): Outcome {
  const shown = bench.images.make(), { memory, rowPitch, height } = shown.buffer, end = rowPitch * height;
  const size = memory.size - end;
  if (size === 0) return { status: "report", found: "not tried: the buffer ends with a page" };
  const behind = Array.from({ length: size }, (_, index) => memory.address + BigInt(end + index));
  for (const at of behind) poke8(at, UNTOUCHED);
  const drawn = shows(bench, shown, "", "triangles");
  if (drawn.status !== "pass") return drawn;
  const changed = behind.filter((at) => peek8(at) !== UNTOUCHED).length;
  if (changed === 0) return seen(true, "nothing behind the last row was written");
  return {
    status: "report",
    found: `${changed} bytes behind the last row were written, ${ROOM}`,
  };
}

const NANOSECONDS = 1_000_000n;
/** The time for which an operation that has to wait is watched, in nanoseconds. */
const GRACE = 20n * NANOSECONDS;

/** The rule that all drawing depends on. */
const ACQUIRE = "vulkan.native-buffer.acquire";

/** VK31 to VK34: the beginning and the end of frames, and their visible effects. */
export const FRAME_TRIALS: readonly Trial[] = [
  {
    id: "VK32",
    rule: ACQUIRE,
    needs: [IMAGE],
    requirement:
      "vkAcquireImageANDROID with -1 or a signalled fence signals the semaphore and the VkFence; both may be left out.",
    source: SOURCE,
    check: acquireSignalled,
  },
  {
    id: "VK32",
    rule: "vulkan.native-buffer.acquire-closes",
    needs: [IMAGE],
    requirement: "The driver closes the file descriptor that vkAcquireImageANDROID was given, even if the call fails.",
    source: SOURCE,
    check: acquireCloses,
  },
  {
    id: "VK32",
    rule: "vulkan.native-buffer.acquire-waits",
    needs: [ACQUIRE],
    requirement:
      "Work that waits for an acquired image goes on when the image's native fence is signalled, and not before.",
    source: SOURCE,
    check: acquireWaits,
  },
  {
    id: "VK33",
    rule: RELEASE,
    needs: [ACQUIRE],
    requirement: "The fence of vkQueueSignalReleaseImageANDROID is signalled when the drawing is in the buffer.",
    source: SOURCE,
    check: releaseShows,
  },
  {
    id: "VK34",
    rule: "vulkan.native-buffer.release-again",
    needs: [ACQUIRE],
    requirement: "An image that is shared is released again and again without an acquire between.",
    source: SOURCE,
    check: releaseAgain,
  },
  {
    id: "VK31",
    rule: "vulkan.native-buffer.bind",
    needs: [RELEASE],
    requirement: "An image made with VkImageSwapchainCreateInfoKHR is bound to a buffer by vkBindImageMemory2.",
    source: SOURCE,
    check: bindLater,
  },
  ROWS_TRIAL,
];

function isSignalled({ device, timeout }: TrialBench, fence: VkFence): boolean {
  return device.vkWaitForFences([fence], true, BigInt(timeout) * NANOSECONDS) === 0;
}

function acquireSignalled(bench: TrialBench): Outcome {
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

/** Returns a signalled fence that the driver itself made. */
function releaseFence({ queue, timeout }: TrialBench, image: TrialImage["image"]): number {
  const fence = NativeFence.adopt(queue.vkQueueSignalReleaseImageANDROID(null, image));
  fence.wait(timeout);
  return fence.take();
}

/**
 * Checks that an acquire closes its file descriptor. A pipe shows whether its other end is open anywhere, even if the
 * number is used again.
 */
function acquireCloses(bench: TrialBench): Outcome {
  const pipe = createPipe();
  if (!pipe) return { status: "report", found: "there are no file descriptors left to try it with" };
  const { image } = bench.images.make();
  signalEvent(pipe.write);
  let came = "taken";
  try {
    bench.device.vkAcquireImageANDROID(image, pipe.read);
  } catch (error) {
    if (!(error instanceof VulkanError)) closeDescriptor(pipe.read); // the driver never received it
    came = `refused (${(error as Error).message})`;
  }
  bench.device.vkDeviceWaitIdle();
  const isClosed = (pollDescriptors([pipe.write], 0)[0] & POLL.ERR) !== 0;
  closeDescriptor(pipe.write);
  return seen(isClosed, `a file descriptor that was ${came} is ${isClosed ? "closed" : "still open"}`);
}

function acquireWaits(bench: TrialBench): Outcome {
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
 * Checks that an acquire follows the only pending fence that such a driver takes: its own fence, of a release behind
 * much work. The waiting work is on another queue, if the device has one.
 */
function acquireFollowsDriver(bench: TrialBench): Outcome {
  const { device, busyQueue } = bench, first = bench.images.make(), second = bench.images.make();
  device.vkAcquireImageANDROID(first.image, -1);
  using _work = occupy(bench, busyQueue);
  using native = NativeFence.adopt(busyQueue.queue.vkQueueSignalReleaseImageANDROID(null, first.image));
  if (native.poll()) return { status: "report", found: "not tried: the driver itself waits, its fences are signalled" };
  using objects = signals(bench);
  device.vkAcquireImageANDROID(second.image, native.dup().take(), null, objects.fence);
  for (const end = performance.now() + bench.timeout; performance.now() < end;) {
    if (device.vkWaitForFences([objects.fence], true, NANOSECONDS) !== 0) continue;
    const inTime = native.poll(); // polled afterwards: a fence that was signalled in time is signalled by now
    return seen(inTime, inTime ? "it went on with the driver's own fence" : "it went on before the driver's own fence");
  }
  return seen(false, "it never went on");
}

function releaseShows(bench: TrialBench): Outcome {
  return shows(bench, bench.images.make());
}

function bindLater(bench: TrialBench): Outcome {
  const { revision } = bench;
  if (revision >= BINDING_REVISION) return shows(bench, bench.images.makeBound(), "bound, and ");
  return { status: "not-applicable", found: `came with revision ${BINDING_REVISION}; the device has ${revision}` };
}

function releaseAgain(bench: TrialBench): Outcome {
  const { image } = bench.images.make();
  bench.device.vkAcquireImageANDROID(image, -1);
  for (let round = 1; round <= 3; round++) {
    using fence = NativeFence.adopt(bench.queue.vkQueueSignalReleaseImageANDROID(null, image));
    if (!fence.wait(bench.timeout)) return seen(false, `the fence of release ${round} was never signalled`);
  }
  return seen(true, "three times");
}
