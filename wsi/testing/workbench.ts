import type { OpenedDevice } from "./device.ts";
import type { VkCommandBuffer, VkQueryPool } from "../../loader/types.ts";

/** A device, what is to be destroyed with the test, and what it took. */
export interface Workbench extends OpenedDevice {
  /** What a test made, destroyed in turn, last made first. */
  readonly owned: DisposableStack;
  /** Measures what is submitted. */
  readonly clock: Clock;
}

/** Sets one up. Closing `owned` ends all, the device and the instance too; the loader is the caller's. */
export function openWorkbench(opened: OpenedDevice): Workbench {
  const owned = new DisposableStack();
  owned.use(opened.instance);
  owned.use(opened.device);
  return { ...opened, owned, clock: new Clock(opened, owned) };
}

/** VK_QUERY_TYPE_TIMESTAMP; VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, BOTTOM_OF_PIPE_BIT; VK_QUERY_RESULT_64_BIT | WAIT_BIT */
const TIMESTAMP = 2, TOP = 1, BOTTOM = 0x2000, WAIT_64 = 1 | 2;

/** Adds up how long the device works, by the timestamps around what is submitted. */
class Clock {
  readonly #opened: OpenedDevice;
  readonly #pool: VkQueryPool | undefined;
  #nanoseconds = 0;

  /** Makes the queries, where the queue has timestamps. */
  constructor(opened: OpenedDevice, owned: DisposableStack) {
    this.#opened = opened;
    if (opened.timestampBits === 0) return;
    const { device } = opened, pool = device.vkCreateQueryPool({ queryType: TIMESTAMP, queryCount: 2 });
    owned.defer(() => device.vkDestroyQueryPool(pool));
    this.#pool = pool;
  }

  /** Milliseconds so far; `undefined` where the queue has no timestamps. */
  get milliseconds(): number | undefined {
    return this.#pool === undefined ? undefined : this.#nanoseconds / 1e6;
  }

  /** Records a timestamp before and one behind what `record` records. */
  around(commands: VkCommandBuffer, record: () => void): void {
    const pool = this.#pool;
    if (pool === undefined) return record();
    commands.vkCmdResetQueryPool(pool, 0, 2);
    commands.vkCmdWriteTimestamp(TOP, pool, 0);
    record();
    commands.vkCmdWriteTimestamp(BOTTOM, pool, 1);
  }

  /** Reads them, once the work is done. Timestamps wrap around at their highest bit. */
  read(): void {
    if (this.#pool === undefined) return;
    const { device, properties, timestampBits } = this.#opened;
    const { data } = device.vkGetQueryPoolResults(this.#pool, 0, 2, 16, 8n, WAIT_64);
    const [first, last] = new BigUint64Array(data.slice().buffer);
    const ticks = BigInt.asUintN(timestampBits, last - first);
    this.#nanoseconds += Number(ticks) * properties.limits.timestampPeriod;
  }
}
