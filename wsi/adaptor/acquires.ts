import { NativeBlock } from "../../ffi/block.ts";
import { closeDescriptor } from "../../ffi/file/file_descriptor.ts";
import { peek64 } from "../../ffi/machine.ts";
import { tryDuplicate } from "../fence/careful_fence.ts";
import type { FenceJob } from "../fence/fence_job.ts";
import { fenceWorker } from "../fence/fence_worker.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { DriverDevice } from "./driver_device.ts";
import { RESULT, STYPE, SYNC_FD } from "./constants.ts";
import { placesOf, scratch, setLong, write } from "./struct.ts";
import { createTimeline } from "./timeline.ts";
import { importSyncFile, VirtualSemaphore } from "./virtual_semaphores.ts";
import {
  offsetsOfVkSemaphoreSignalInfo,
  offsetsOfVkSubmitInfo,
  offsetsOfVkTimelineSemaphoreSubmitInfo,
  sizeOfVkSemaphoreSignalInfo,
  sizeOfVkSubmitInfo,
  sizeOfVkTimelineSemaphoreSubmitInfo,
  VK_FENCE_IMPORT_TEMPORARY_BIT,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
} from "../../loader/gen/native_gen.ts";

/**
 * Offsets in the block of VkSubmitInfo, VkTimelineSemaphoreSubmitInfo, VkSemaphoreSignalInfo, and the memory that they
 * point to.
 */
const AT = placesOf({
  submit: sizeOfVkSubmitInfo,
  timeline: sizeOfVkTimelineSemaphoreSubmitInfo,
  signal: sizeOfVkSemaphoreSignalInfo,
  semaphore: 8,
  value: 8,
  stages: 8,
});
const SUBMIT = offsetsOfVkSubmitInfo, VALUES = offsetsOfVkTimelineSemaphoreSubmitInfo;

/** Whether the driver got the fence for a semaphore and a VkFence. */
interface Given {
  readonly semaphore: boolean;
  readonly fence: boolean;
}

/** The longest wait for a semaphore that is about to be destroyed, nanoseconds. */
const MOMENT = 1_000_000_000n;

const NONE: Given = { semaphore: false, fence: false };

/** The beginning of frames: lets the application's semaphores and fences follow native fences. */
export class Acquires {
  readonly #device: DriverDevice;
  #block: NativeBlock | undefined;
  /** Timelines for fences without a semaphore, that nothing waits for now. */
  readonly #spare: VirtualSemaphore[] = [];
  /** All such timelines. */
  readonly #own: VirtualSemaphore[] = [];
  /** The fence worker's jobs, some of which are done. */
  #jobs: FenceJob[] = [];

  /** Without memory yet. */
  constructor(device: DriverDevice) {
    this.#device = device;
  }

  /**
   * Signals a semaphore and a fence, each may be 0n, when a native fence is
   * signalled, which is consumed. Returns a VkResult.
   */
  acquire(native: NativeFence, semaphore: bigint, fence: bigint): number {
    try {
      const given = this.#giveToDriver(native, semaphore, fence);
      const [semaphoreLeft, fenceLeft] = [given.semaphore ? 0n : semaphore, given.fence ? 0n : fence];
      if (given !== NONE && semaphoreLeft === 0n && fenceLeft === 0n) return RESULT.SUCCESS;
      return this.#acquire(native, semaphoreLeft, fenceLeft);
    } finally {
      native.close();
    }
  }

  /** Imports a pending sync_file into what the driver imports such files into, and returns which of the two that was. */
  #giveToDriver(native: NativeFence, semaphore: bigint, fence: bigint): Given {
    const { semaphores, fences } = this.#device.plan.syncFd;
    const isAsked = semaphores && semaphore !== 0n || fences && fence !== 0n;
    if (!isAsked || native.kind !== "sync_file" || native.poll()) return NONE;
    const virtual = this.#device.semaphores?.get(semaphore);
    return {
      semaphore: semaphores && semaphore !== 0n &&
        isTaken(native, (fd) => importSyncFile(this.#device, semaphore, virtual, fd)),
      fence: fences && fence !== 0n && isTaken(native, (fd) => this.#importFence(fence, fd)),
    };
  }

  #importFence(fence: bigint, fd: number): number {
    const { commands, handle } = this.#device, flags = VK_FENCE_IMPORT_TEMPORARY_BIT, handleType = SYNC_FD.fences;
    return scratch(() =>
      commands.vkImportFenceFdKHR(handle, write("VkImportFenceFdInfoKHR", { fence, flags, handleType, fd }))
    );
  }

  /** Whether the fence worker is still to signal a semaphore of the device. */
  get isFollowing(): boolean {
    if (this.#jobs.length > 0) this.#jobs = this.#jobs.filter(({ pending }) => pending);
    return this.#jobs.length > 0;
  }

  /** Waits for the fence here or on the fence worker, and signals from there. */
  #acquire(native: NativeFence, semaphore: bigint, fence: bigint): number {
    const virtual = semaphore === 0n ? undefined : this.#device.semaphores?.get(semaphore);
    const isBinary = semaphore !== 0n && (!virtual || virtual.imported === "permanent");
    if (!isBinary && this.#device.semaphores && !native.poll()) return this.#follow(native, virtual, fence);
    native.wait();
    if (virtual && virtual.imported !== "permanent") return this.#signalNow(virtual, fence);
    return this.#submit(virtual?.shadow ?? semaphore, fence);
  }

  /** Ends everything that still follows a native fence, before the device is destroyed. */
  abandonAll(): void {
    for (const virtual of [...this.#own, ...this.#device.semaphores?.all ?? []]) this.abandon(virtual);
  }

  /**
   * Signals a semaphore that still follows a native fence. Nothing else will signal it, and waits for it have to end.
   */
  abandon(virtual: VirtualSemaphore): void {
    if (!virtual.job?.pending) return;
    virtual.job.cancel();
    virtual.job = undefined;
    if (this.#counterOf(virtual) >= virtual.count) return; // the fence was faster
    virtual.count--;
    this.#signalNow(virtual, 0n);
  }

  /**
   * Waits until a semaphore that is about to be destroyed has its last value, for a moment at most. Some drivers, such as
   * lavapipe 22.3, signal a submission's fence first and write into its timelines after that.
   */
  rest(virtual: VirtualSemaphore): void {
    if (this.#counterOf(virtual) >= virtual.count) return;
    const { commands, handle, suffix12 } = this.#device;
    scratch(() => {
      const info = write("VkSemaphoreWaitInfo", { pSemaphores: [virtual.handle], pValues: [BigInt(virtual.count)] });
      commands[`vkWaitSemaphores${suffix12}`](handle, info, MOMENT);
    });
  }

  /** Frees the memory. Nothing may be pending. */
  close(): void {
    const { commands, handle } = this.#device;
    for (const { handle: semaphore } of this.#own) commands.vkDestroySemaphore(handle, semaphore, 0n);
    this.#own.length = this.#spare.length = 0;
    this.#block?.close();
    this.#block = undefined;
  }

  /** The host signals a virtual semaphore; only a fence needs a queue. */
  #signalNow(virtual: VirtualSemaphore, fence: bigint): number {
    const { view, address } = this.#block ??= newBlock(), { commands, handle, suffix12 } = this.#device;
    view.setBigUint64(AT.signal + offsetsOfVkSemaphoreSignalInfo.semaphore, virtual.handle, true);
    setLong(view, AT.signal + offsetsOfVkSemaphoreSignalInfo.value, ++virtual.count);
    const result = commands[`vkSignalSemaphore${suffix12}`](handle, address + BigInt(AT.signal));
    if (result < 0) virtual.count--;
    return result < 0 || fence === 0n ? result : this.#submit(0n, fence);
  }

  /** Signals as soon as the queue gets to it. */
  #submit(semaphore: bigint, fence: bigint): number {
    if (semaphore === 0n && fence === 0n) return RESULT.SUCCESS;
    const { queue, commands } = this.#device;
    if (queue === 0n) return RESULT.ERROR_INITIALIZATION_FAILED;
    if (semaphore === 0n) return commands.vkQueueSubmit(queue, 0, 0n, fence);
    const { view, address } = this.#block ??= newBlock();
    view.setBigUint64(AT.submit + SUBMIT.pNext, 0n, true);
    view.setUint32(AT.submit + SUBMIT.waitSemaphoreCount, 0, true);
    view.setUint32(AT.submit + SUBMIT.signalSemaphoreCount, 1, true);
    view.setBigUint64(AT.semaphore, semaphore, true);
    return commands.vkQueueSubmit(queue, 1, address, fence);
  }

  /** Makes the fence worker signal a timeline after the native fence, and makes a VkFence follow the timeline. */
  #follow(native: NativeFence, given: VirtualSemaphore | undefined, fence: bigint): number {
    if (!given && fence === 0n) return RESULT.SUCCESS;
    const virtual = given ?? this.#takeSpare(), fd = native.take();
    if (typeof virtual === "number") {
      closeDescriptor(fd);
      return virtual;
    }
    try {
      if (fd < 0) return this.#signalNow(virtual, fence);
      const { handle: device, procs } = this.#device, { vkSignalSemaphore } = procs, value = virtual.count + 1;
      const semaphore = virtual.handle;
      virtual.job = fenceWorker().signalSemaphoreWhenReadable({
        fd,
        device,
        semaphore,
        value: BigInt(value),
        vkSignalSemaphore,
      });
      virtual.count = value;
      if (this.#device.plan.syncFd.exports) this.#jobs.push(virtual.job);
      return fence === 0n ? RESULT.SUCCESS : this.#submitWaiting(virtual, fence);
    } finally {
      closeDescriptor(fd);
    }
  }

  #counterOf({ handle: semaphore }: VirtualSemaphore): number {
    const { address } = this.#block ??= newBlock(),
      { commands, handle, suffix12 } = this.#device,
      out = address + BigInt(AT.value);
    return commands[`vkGetSemaphoreCounterValue${suffix12}`](handle, semaphore, out) < 0
      ? Infinity
      : Number(peek64(out));
  }

  #submitWaiting({ handle, count }: VirtualSemaphore, fence: bigint): number {
    const { queue, commands } = this.#device;
    if (queue === 0n) return RESULT.ERROR_INITIALIZATION_FAILED;
    const { view, address } = this.#block ??= newBlock();
    view.setBigUint64(AT.submit + SUBMIT.pNext, address + BigInt(AT.timeline), true);
    view.setUint32(AT.submit + SUBMIT.waitSemaphoreCount, 1, true);
    view.setUint32(AT.submit + SUBMIT.signalSemaphoreCount, 0, true);
    view.setBigUint64(AT.semaphore, handle, true);
    setLong(view, AT.value, count);
    return commands.vkQueueSubmit(queue, 1, address, fence);
  }

  #takeSpare(): VirtualSemaphore | number {
    const settled = this.#own.find(({ job }) => job && !job.pending);
    if (settled) {
      settled.job = undefined;
      this.#spare.push(settled);
    }
    const spare = this.#spare.pop();
    if (spare) return spare;
    const semaphore = createTimeline(this.#device);
    if (typeof semaphore === "number") return semaphore;
    const made = new VirtualSemaphore(semaphore);
    this.#own.push(made);
    return made;
  }
}

/**
 * Whether a driver took a duplicate of a sync_file: the file is the driver's then, and closed otherwise. One without a
 * free file descriptor for it takes none.
 */
function isTaken(native: NativeFence, importInto: (fd: number) => number): boolean {
  const fd = tryDuplicate(native)?.take() ?? -1;
  if (fd < 0) return false;
  const isOwned = importInto(fd) >= 0;
  if (!isOwned) closeDescriptor(fd);
  return isOwned;
}

/** A block with everything that is the same for every acquire. */
function newBlock(): NativeBlock {
  const block = new NativeBlock(AT.size), { view, address } = block;
  const point = (at: number, to: number) => view.setBigUint64(at, address + BigInt(to), true);
  view.setUint32(AT.submit, STYPE.SUBMIT_INFO, true);
  point(AT.submit + SUBMIT.pWaitSemaphores, AT.semaphore);
  point(AT.submit + SUBMIT.pWaitDstStageMask, AT.stages);
  point(AT.submit + SUBMIT.pSignalSemaphores, AT.semaphore);
  view.setUint32(AT.timeline, STYPE.TIMELINE_SEMAPHORE_SUBMIT_INFO, true);
  view.setUint32(AT.timeline + VALUES.waitSemaphoreValueCount, 1, true);
  point(AT.timeline + VALUES.pWaitSemaphoreValues, AT.value);
  view.setUint32(AT.signal, STYPE.SEMAPHORE_SIGNAL_INFO, true);
  view.setUint32(AT.stages, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, true);
  return block;
}
