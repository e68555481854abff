import { inFrame } from "../../../../ffi/arena.ts";
import { VK_QUERY_RESULT_64_BIT, VK_QUERY_TYPE_TIMESTAMP, VK_SUCCESS } from "../../../../loader/gen/native_gen.ts";
import { type Below, newObject } from "./below.ts";

/** Query pools for timestamps, all of one size and device. A pool is used again after its work has ended. */
export class Queries {
  readonly device: bigint;
  readonly below: Below;
  readonly #size: number;
  readonly #all: bigint[] = [];
  readonly #free: bigint[] = [];

  /** `size` is the number of timestamps in a pool. */
  constructor(device: bigint, below: Below, size: number) {
    this.device = device;
    this.below = below;
    this.#size = size;
  }

  /** Returns a pool; `undefined` if the driver refuses. */
  take(): bigint | undefined {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const members = { queryType: VK_QUERY_TYPE_TIMESTAMP, queryCount: this.#size };
    const made = newObject(
      "VkQueryPoolCreateInfo",
      members,
      (info, out) => this.below.vkCreateQueryPool(this.device, info, 0n, out),
    );
    if (made !== undefined) this.#all.push(made);
    return made;
  }

  /** Takes a pool back. */
  put(pool: bigint): void {
    this.#free.push(pool);
  }

  /** Reads the first timestamps of a pool; `undefined` if they were not written. */
  read(pool: bigint, count: number): bigint[] | undefined {
    return inFrame((memory) => {
      const out = memory.alloc(8 * count), { vkGetQueryPoolResults } = this.below;
      const size = BigInt(8 * count), flags = VK_QUERY_RESULT_64_BIT;
      const result = vkGetQueryPoolResults(this.device, pool, 0, count, size, memory.address(out), 8n, flags);
      if (result !== VK_SUCCESS) return undefined;
      return Array.from({ length: count }, (_, index) => memory.view.getBigUint64(out + 8 * index, true));
    });
  }

  /** Destroys all pools, before the device is destroyed. */
  close(): void {
    for (const pool of this.#all.splice(0)) this.below.vkDestroyQueryPool(this.device, pool, 0n);
    this.#free.length = 0;
  }
}
