import {
  VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
  VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
  VK_QUERY_RESULT_64_BIT,
  VK_QUERY_RESULT_WAIT_BIT,
  VK_QUERY_TYPE_TIMESTAMP,
  VK_TIMEOUT,
} from "../../loader/gen/enums_core_gen.js";
import type { VkCommandBuffer, VkDevice, VkFence, VkQueryPool, VkQueue } from "../../loader/types.ts";
import type { OpenedDevice } from "./device.ts";

/** Adds up the device's working time, from timestamps around the submitted work. */
class Clock {
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

/** A device, the objects that are destroyed with the device, and the device's working time. */
export interface Bench extends OpenedDevice {
  /** The objects, destroyed in reverse order. */
  readonly owned: DisposableStack;
  /** Measures submitted work. */
  readonly clock: Clock;
}

/** A device, and the objects that end together. */
export type Owning = Pick<Bench, "device" | "owned">;

/**
 * Makes a bench. Disposing of `owned` destroys all objects, the device and the instance; the loader stays the caller's.
 */
export function openBench(opened: OpenedDevice, owned: DisposableStack = new DisposableStack()): Bench {
  owned.use(opened.instance);
  owned.use(opened.device);
  return { ...opened, owned, clock: new Clock(opened, owned) };
}

/**
 * Calls `use` with a bench whose objects are destroyed when `use` returns. By then the device has finished its work.
 */
export function duringCall<Result>(bench: Bench, use: (bench: Bench) => Result): Result {
  using owned = new DisposableStack();
  return use({ ...bench, owned });
}

/** The methods of a device by name. */
type Methods = Record<string, (...args: unknown[]) => unknown>;

/** Pipelines of every kind end in the same way. */
const PIPELINES = /^vkCreate\w+Pipelines(KHR|NV)?$/;

/** Returns a device whose commands give `owned` what they make. The last objects are destroyed first. */
export function ownedDevice(device: VkDevice, owned: DisposableStack): VkDevice {
  const methods = device as unknown as Methods;
  return new Proxy(device, {
    get(_, name) {
      const value = Reflect.get(device, name), destroy = destroying(String(name));
      if (typeof value !== "function") return value;
      if (destroy === undefined) return value.bind(device);
      return (...args: unknown[]) => {
        const made = methods[String(name)](...args);
        for (const object of handlesIn(made)) owned.defer(() => void methods[destroy](object));
        return made;
      };
    },
  });
}

/** The command that destroys what a command makes; `undefined` for one that makes nothing, or objects of a pool. */
function destroying(name: string): string | undefined {
  if (name === "vkAllocateMemory") return "vkFreeMemory";
  if (name === "vkCreateShadersEXT") return "vkDestroyShaderEXT";
  if (PIPELINES.test(name)) return "vkDestroyPipeline";
  return name.startsWith("vkCreate") ? name.replace("vkCreate", "vkDestroy") : undefined;
}

/** The handles that a command returned: one, or a list beside the result. */
function handlesIn(made: unknown): bigint[] {
  const all = typeof made === "object" && made !== null ? Object.values(made).flat() : [made];
  return all.filter((each) => typeof each === "bigint" && each !== 0n);
}

/** The timeout that waits for ever. */
const FOR_EVER = 2n ** 64n - 1n;

/** Records commands, submits them and waits until they are finished. Their time counts in the bench's clock. */
export function submit(bench: Bench, record: (commands: VkCommandBuffer) => void): void {
  const { device, queue, queueFamilyIndex, clock } = bench;
  using own = new DisposableStack();
  const commandPool = device.vkCreateCommandPool({ queueFamilyIndex });
  own.defer(() => device.vkDestroyCommandPool(commandPool));
  const [commands] = device.vkAllocateCommandBuffers({ commandPool, commandBufferCount: 1 });
  commands.vkBeginCommandBuffer({ flags: VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT });
  clock.around(commands, () => record(commands));
  commands.vkEndCommandBuffer();
  const fence = device.vkCreateFence({});
  own.defer(() => device.vkDestroyFence(fence));
  queue.vkQueueSubmit([{ pCommandBuffers: [commands] }], fence);
  waitForSubmission(device, queue, fence, FOR_EVER);
  clock.read();
}

/**
 * Waits until submitted work is finished. A wait that fails does not end the work: the queue is waited for, too, before
 * the error lets anybody destroy what the work uses.
 */
export function waitForSubmission(device: VkDevice, queue: VkQueue, fence: VkFence, slice: bigint): void {
  try {
    while (device.vkWaitForFences([fence], true, slice) === VK_TIMEOUT);
  } catch (error) {
    try {
      queue.vkQueueWaitIdle();
    } catch {
      // a lost device does nothing any more
    }
    throw error;
  }
}
