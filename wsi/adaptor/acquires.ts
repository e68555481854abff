import { NativeBlock } from "../../ffi/block.ts";
import type { NativeFence } from "../fence/native_fence.ts";
import type { AdaptorDevice } from "./adaptor_device.ts";
import { RESULT, STYPE } from "./constants.ts";

/** Bytes of VkSubmitInfo; the semaphore stands behind it. */
const SUBMIT_INFO = 72;

/** The beginning of frames: lets the application's semaphores and fences follow native fences. */
export class Acquires {
  readonly #device: AdaptorDevice;
  #block: NativeBlock | undefined;

  /** Without memory yet. */
  constructor(device: AdaptorDevice) {
    this.#device = device;
  }

  /** Signals a semaphore and a fence, each may be 0n, when a native fence is signalled, which is consumed. Returns a VkResult. */
  acquire(native: NativeFence, semaphore: bigint, fence: bigint): number {
    native.wait();
    native.close();
    if (semaphore === 0n && fence === 0n) return RESULT.SUCCESS;
    const { queue, commands } = this.#device;
    if (queue === 0n) return RESULT.ERROR_INITIALIZATION_FAILED;
    if (semaphore === 0n) return commands.vkQueueSubmit(queue, 0, 0n, fence);
    const { view, address } = this.#block ??= newBlock();
    view.setBigUint64(SUBMIT_INFO, semaphore, true);
    return commands.vkQueueSubmit(queue, 1, address, fence);
  }

  /** Frees the memory. */
  close(): void {
    this.#block?.close();
    this.#block = undefined;
  }
}

function newBlock(): NativeBlock {
  const block = new NativeBlock(SUBMIT_INFO + 8), { view, address } = block;
  view.setUint32(0, STYPE.SUBMIT_INFO, true);
  view.setUint32(56, 1, true);
  view.setBigUint64(64, address + BigInt(SUBMIT_INFO), true);
  return block;
}
