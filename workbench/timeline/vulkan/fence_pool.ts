import { inFrame } from "../../../ffi/arena.ts";
import { VK_SUCCESS, VK_TIMEOUT, VK_TRUE } from "../../../loader/gen/native_gen.ts";
import { type Below, newObject } from "./gpu/below.ts";

/** Nanoseconds after which work is taken for work that never ends. */
const PATIENCE = 10_000_000_000n;

/** The fences of one device that follow the work of its queues. */
export class FencePool {
  readonly device: bigint;
  readonly below: Below;
  readonly #free: bigint[] = [];
  readonly #lost: bigint[] = [];

  /** Follows the queues of a device, through the commands below the layer. */
  constructor(device: bigint, below: Below) {
    this.device = device;
    this.below = below;
  }

  /** Returns an unsignalled fence; `undefined` if the driver refuses. */
  take(): bigint | undefined {
    return this.#free.pop() ??
      newObject("VkFenceCreateInfo", {}, (info, out) => this.below.vkCreateFence(this.device, info, 0n, out));
  }

  /** Takes a signalled fence back. */
  put(fence: bigint): void {
    const reset = inFrame((memory) => {
      const at = memory.alloc(8);
      memory.view.setBigUint64(at, fence, true);
      return this.below.vkResetFences(this.device, 1, memory.address(at));
    });
    if (reset === VK_SUCCESS) this.#free.push(fence);
    else this.destroy(fence);
  }

  /** Takes a fence back that is not signalled although it should be. The pool destroys it with the device. */
  lose(fence: bigint): void {
    this.#lost.push(fence);
  }

  /** Waits until a fence is signalled. Returns whether the driver says so within a number of nanoseconds. */
  wait(fence: bigint, patience: bigint): boolean {
    return this.#wait([fence], patience) === VK_SUCCESS;
  }

  /** Waits until no fence is in use, neither a lost one nor one of these. Returns whether none is. */
  settle(fences: readonly bigint[]): boolean {
    const inUse = [...fences, ...this.#lost], isIdle = inUse.length === 0 || this.#wait(inUse, PATIENCE) !== VK_TIMEOUT;
    if (isIdle) this.#free.push(...this.#lost.splice(0));
    return isIdle;
  }

  /** Destroys a fence that is not in use. */
  destroy(fence: bigint): void {
    this.below.vkDestroyFence(this.device, fence, 0n);
  }

  /** Destroys the free fences. */
  close(): void {
    for (const fence of this.#free.splice(0)) this.destroy(fence);
  }

  #wait(fences: readonly bigint[], patience: bigint): number {
    return inFrame((memory) => {
      const list = memory.alloc(8 * fences.length);
      fences.forEach((fence, index) => memory.view.setBigUint64(list + 8 * index, fence, true));
      return this.below.vkWaitForFences(this.device, fences.length, memory.address(list), VK_TRUE, patience);
    });
  }
}
