import {
  VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
  VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_WAIT_BIT,
  VK_QUERY_TYPE_TIMESTAMP,
} from "../../loader/gen/enums_core_gen.js";
import type { VkCommandBuffer, VkQueryPool } from "../../loader/types.ts";
import type { OpenedDevice } from "./device.ts";

/** Adds up the device's working time, from timestamps around the submitted work. */
export class Clock {
  readonly #opened: OpenedDevice;
  readonly #pool: VkQueryPool | undefined;
  #nanoseconds = 0;

  /** Makes the queries, if the queue has timestamps. */
  constructor(opened: OpenedDevice, owned: DisposableStack) {
    this.#opened = opened;
    if (opened.timestampBits === 0) return;
    const { device } = opened, pool = device.vkCreateQueryPool({ queryType: VK_QUERY_TYPE_TIMESTAMP, queryCount: 2 });
    owned.defer(() => device.vkDestroyQueryPool(pool));
    this.#pool = pool;
  }

  /** Milliseconds so far; `undefined` if the queue has no timestamps. */
  get milliseconds(): number | undefined {
    return this.#pool === undefined ? undefined : this.#nanoseconds / 1e6;
  }

  /** Records a timestamp before and one after the commands of `record`. */
  around(commands: VkCommandBuffer, record: () => void): void {
    const pool = this.#pool;
    if (pool === undefined) return record();
    commands.vkCmdResetQueryPool(pool, 0, 2);
    commands.vkCmdWriteTimestamp(VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
    record();
    commands.vkCmdWriteTimestamp(VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
  }

  /** Reads the timestamps when the work is done. Timestamps wrap around at their highest bit. */
  read(): void {
    if (this.#pool === undefined) return;
    const { device, properties, timestampBits } = this.#opened,
      flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;
    const { data } = device.vkGetQueryPoolResults(this.#pool, 0, 2, 16, 8n, flags);
    const [first, last] = new BigUint64Array(data.slice().buffer);
    const ticks = BigInt.asUintN(timestampBits, last - first);
    this.#nanoseconds += Number(ticks) * properties.limits.timestampPeriod;
  }
}
