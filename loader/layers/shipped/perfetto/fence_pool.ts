import { inFrame } from "../../../../ffi/arena.ts";
import { codec } from "../../../codec/codec.ts";
import { VK_SUCCESS } from "../../../gen/native_gen.ts";
import type { RawCommands } from "../../../gen/raw_commands_gen.ts";

/** A device's commands below the layer. */
export type Below = Pick<
  RawCommands,
  "vkCreateFence" | "vkDestroyFence" | "vkResetFences" | "vkGetFenceStatus" | "vkQueueSubmit"
>;

/** The fences of one device that follow the work of its queues. */
export class FencePool {
  readonly device: bigint;
  readonly below: Below;
  readonly #free: bigint[] = [];

  /** Follows the queues of a device, through the commands below the layer. */
  constructor(device: bigint, below: Below) {
    this.device = device;
    this.below = below;
  }

  /** Returns an unsignalled fence; `undefined` if the driver refuses. */
  take(): bigint | undefined {
    return this.#free.pop() ?? inFrame((memory) => {
      const { size, encode } = codec("VkFenceCreateInfo"), info = memory.alloc(size), fence = memory.alloc(8);
      encode({}, info);
      const made = this.below.vkCreateFence(this.device, memory.address(info), 0n, memory.address(fence));
      return made === VK_SUCCESS ? memory.view.getBigUint64(fence, true) : undefined;
    });
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

  /** Destroys a fence that is not in use. */
  destroy(fence: bigint): void {
    this.below.vkDestroyFence(this.device, fence, 0n);
  }

  /** Destroys the free fences. */
  close(): void {
    for (const fence of this.#free.splice(0)) this.destroy(fence);
  }
}
