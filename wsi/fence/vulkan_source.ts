import { inFrame } from "../../ffi/arena.ts";
import { closeDescriptor, createEvent, monotonicNow, signalEvent } from "../../ffi/file/file_descriptor.ts";
import { bindByAddress } from "../../ffi/stubs.ts";
import { WsiError } from "../error.ts";
import { noDescriptor } from "./descriptor.ts";
import type { FenceJob, FenceSignaled, SemaphoreReached } from "./fence_job.ts";
import type { FenceSource } from "./fence_source.ts";
import { fenceWorker } from "./fence_worker.ts";
import { VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, VK_SUCCESS, VK_TIMEOUT } from "../../loader/gen/native_gen.ts";

/** The differences between Vulkan's two kinds of waitable objects. */
interface Waiting {
  /** Waits in the driver: VkResult. */
  wait(nanoseconds: bigint): number;
  /** Has the fence worker write to an event. */
  post(event: number): FenceJob;
  describe(): string;
}

/** A source that a Vulkan command can wait for; the fence worker makes its file descriptors. */
class VulkanSource implements FenceSource {
  readonly #waiting: Waiting;
  #jobs: FenceJob[] = [];
  #seen: bigint | undefined;

  constructor(waiting: Waiting) {
    this.#waiting = waiting;
  }

  get signalTime(): bigint | undefined {
    return this.#jobs.find((job) => job.result === 0 && job.time !== undefined)?.time ?? this.#seen;
  }

  poll(): boolean {
    return this.wait(0n);
  }

  wait(nanoseconds: bigint): boolean {
    if (this.#seen !== undefined) return true;
    const result = this.#waiting.wait(nanoseconds);
    if (result === VK_TIMEOUT) return false;
    if (result !== VK_SUCCESS) {
      throw new WsiError("fence-failed", `Cannot wait for ${this.describe()}: the driver returned ${result}`);
    }
    this.#seen = monotonicNow();
    return true;
  }

  toDescriptor(): number {
    const event = createEvent();
    if (event < 0) throw noDescriptor(this.describe());
    try {
      if (this.poll()) signalEvent(event, this.signalTime);
      else this.#jobs = [...this.#jobs.filter((job) => job.pending), this.#waiting.post(event)];
      return event;
    } catch (error) {
      closeDescriptor(event);
      throw error;
    }
  }

  describe(): string {
    return this.#waiting.describe();
  }
}

/**
 * Creates a fence source that is signalled when a timeline semaphore reaches a value. Call `forgetDevice()` of the
 * fence worker before vkDestroyDevice.
 *
 * @example
 * ```ts ignore
 * import { NativeFence, semaphoreSource } from "@pumice/gfx/wsi";
 *
 * const device = 1n, semaphore = 2n, vkWaitSemaphores = 3n; // handles of native code, and the command's address
 * using fence = NativeFence.of(semaphoreSource({ device, semaphore, value: 1n, vkWaitSemaphores }));
 * await fence.ready();
 * ```
 */
export function semaphoreSource(on: Omit<SemaphoreReached, "event">): FenceSource {
  return new VulkanSource({
    wait: (nanoseconds) => waitForSemaphore(on, nanoseconds),
    post: (event) => fenceWorker().writeEventWhenReached({ ...on, event }),
    describe: () => `timeline semaphore 0x${on.semaphore.toString(16)} at ${on.value}`,
  });
}

/**
 * Creates a fence source that is signalled when a VkFence is. The caller must neither reset nor destroy the VkFence
 * while the source is in use.
 *
 * @example
 * ```ts ignore
 * import { NativeFence, vkFenceSource } from "@pumice/gfx/wsi";
 *
 * const device = 1n, vkFence = 2n, vkWaitForFences = 3n; // handles of native code, and the command's address
 * using fence = NativeFence.of(vkFenceSource({ device, fence: vkFence, vkWaitForFences }));
 * await fence.ready();
 * ```
 */
export function vkFenceSource(on: Omit<FenceSignaled, "event">): FenceSource {
  return new VulkanSource({
    wait: (nanoseconds) => waitForFence(on, nanoseconds),
    post: (event) => fenceWorker().writeEventWhenFence({ ...on, event }),
    describe: () => `VkFence 0x${on.fence.toString(16)}`,
  });
}

function waitForSemaphore(on: Omit<SemaphoreReached, "event">, nanoseconds: bigint): number {
  return inFrame((memory) => {
    const info = memory.alloc(40), { view } = memory;
    const semaphore = memory.alloc(8), value = memory.alloc(8);
    view.setBigUint64(semaphore, on.semaphore, true);
    view.setBigUint64(value, on.value, true);
    view.setUint32(info, VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, true);
    view.setBigUint64(info + 8, 0n, true);
    view.setUint32(info + 16, 0, true);
    view.setUint32(info + 20, 1, true);
    view.setBigUint64(info + 24, memory.address(semaphore), true);
    view.setBigUint64(info + 32, memory.address(value), true);
    // VkResult vkWaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *pWaitInfo, uint64_t timeout)
    return bindByAddress("s:qoq")(on.device, info, nanoseconds, on.vkWaitSemaphores) as number;
  });
}

function waitForFence(on: Omit<FenceSignaled, "event">, nanoseconds: bigint): number {
  return inFrame((memory) => {
    const fence = memory.alloc(8);
    memory.view.setBigUint64(fence, on.fence, true);
    // VkResult vkWaitForFences(VkDevice device, uint32_t fenceCount, const VkFence *pFences, VkBool32 waitAll, uint64_t timeout)
    return bindByAddress("s:qwowq")(on.device, 1, fence, 1, nanoseconds, on.vkWaitForFences) as number;
  });
}
