import { NativeBlock } from "../../ffi/block.ts";
import { closeDescriptor, createEvent, signalEvent } from "../../ffi/file/file_descriptor.ts";
import { peek64 } from "../../ffi/machine.ts";
import { noDescriptor } from "../fence/descriptor.ts";
import { fenceWorker } from "../fence/fence_worker.ts";
import type { FenceSource } from "../fence/native_fence.ts";
import type { DriverDevice } from "./driver_device.ts";
import { RESULT, STYPE } from "./constants.ts";
import { made, scratch, write } from "./struct.ts";
import {
  offsetsOfVkSemaphoreWaitInfo,
  sizeOfVkSemaphoreWaitInfo,
  VK_SEMAPHORE_TYPE_TIMELINE,
} from "../../loader/gen/native_gen.ts";

/** For ever, in nanoseconds. */
const FOREVER = 2n ** 64n - 1n;
/** Offsets in a timeline's block: VkSemaphoreWaitInfo, the memory that it points to, and an output. */
const SEMAPHORE = sizeOfVkSemaphoreWaitInfo, VALUE = SEMAPHORE + 8, OUT = VALUE + 8;
const WAIT = offsetsOfVkSemaphoreWaitInfo;

/** A new timeline semaphore at value 0, or the VkResult of a failure. */
export function createTimeline({ commands, handle }: DriverDevice): bigint | number {
  return scratch(() => {
    const type = {
      sType: STYPE.SEMAPHORE_TYPE_CREATE_INFO,
      semaphoreType: VK_SEMAPHORE_TYPE_TIMELINE,
      initialValue: 0n,
    };
    const info = write("VkSemaphoreCreateInfo", { pNext: [type] });
    return made((out) => commands.vkCreateSemaphore(handle, info, 0n, out));
  });
}

/** A timeline semaphore of the adaptor, whose values are reached in order. */
export class Timeline {
  /** The VkSemaphore. */
  readonly semaphore: bigint;
  /** The last value that something was submitted to signal. */
  last = 0;
  readonly #device: DriverDevice;
  /** A value that is known to be reached. */
  #reached = 0;
  readonly #block = new NativeBlock(OUT + 8);

  /** Owns the semaphore. */
  constructor(device: DriverDevice, semaphore: bigint) {
    this.#device = device;
    this.semaphore = semaphore;
    const { view, address } = this.#block;
    view.setUint32(0, STYPE.SEMAPHORE_WAIT_INFO, true);
    view.setUint32(WAIT.semaphoreCount, 1, true);
    view.setBigUint64(WAIT.pSemaphores, address + BigInt(SEMAPHORE), true);
    view.setBigUint64(WAIT.pValues, address + BigInt(VALUE), true);
    view.setBigUint64(SEMAPHORE, semaphore, true);
  }

  /** A fence that is signalled when a value is reached. */
  source(value: number): FenceSource {
    return new TimelineSource(this, value);
  }

  /** Whether a value is reached; all are once the device is lost or the timeline is closed. */
  isReached(value: number): boolean {
    if (value <= this.#reached) return true;
    const { commands, handle, suffix12 } = this.#device, out = this.#block.address + BigInt(OUT);
    if (commands[`vkGetSemaphoreCounterValue${suffix12}`](handle, this.semaphore, out) < 0) this.#reached = Infinity;
    else this.#reached = Number(peek64(out));
    return value <= this.#reached;
  }

  /** Waits in the driver until a value is reached. Returns whether it was. */
  wait(value: number, nanoseconds: bigint = FOREVER): boolean {
    if (value <= this.#reached) return true;
    const { commands, handle, suffix12 } = this.#device;
    this.#block.view.setBigUint64(VALUE, BigInt(value), true);
    const result = commands[`vkWaitSemaphores${suffix12}`](handle, this.#block.address, nanoseconds);
    if (result === RESULT.TIMEOUT) return false;
    this.#reached = result < 0 ? Infinity : Math.max(value, this.#reached);
    return true;
  }

  /** A file descriptor that becomes readable when a value is reached, by the fence worker. */
  descriptorAt(value: number): number {
    const event = createEvent(), { handle: device, procs } = this.#device, { semaphore } = this;
    if (event < 0) throw noDescriptor(`timeline value ${value}`);
    try {
      if (this.isReached(value)) signalEvent(event);
      else {
        const { vkWaitSemaphores } = procs;
        fenceWorker().writeEventWhenReached({ device, semaphore, value: BigInt(value), vkWaitSemaphores, event });
      }
      return event;
    } catch (error) {
      closeDescriptor(event);
      throw error;
    }
  }

  /** Waits for submitted work, and destroys the semaphore. */
  close(): void {
    this.wait(this.last);
    this.#reached = Infinity;
    this.#device.commands.vkDestroySemaphore(this.#device.handle, this.semaphore, 0n);
    this.#block.close();
  }
}

/** A fence source that is signalled at a value of a timeline. */
class TimelineSource implements FenceSource {
  readonly #timeline: Timeline;
  readonly #value: number;

  constructor(timeline: Timeline, value: number) {
    this.#timeline = timeline;
    this.#value = value;
  }

  poll(): boolean {
    return this.#timeline.isReached(this.#value);
  }

  wait(nanoseconds: bigint): boolean {
    return this.#timeline.wait(this.#value, nanoseconds);
  }

  toDescriptor(): number {
    return this.#timeline.descriptorAt(this.#value);
  }

  describe(): string {
    return `value ${this.#value} of a queue's releases`;
  }
}
