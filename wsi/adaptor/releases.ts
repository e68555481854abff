import { NativeBlock } from "../../ffi/block.ts";
import { copy, peek64 } from "../../ffi/machine.ts";
import type { FenceSource } from "../fence/native_fence.ts";
import { NativeFence } from "../fence/native_fence.ts";
import type { AdaptorDevice } from "./adaptor_device.ts";
import { RESULT, STYPE } from "./constants.ts";
import type { NativeImage } from "./native_image.ts";
import { made, scratch, write } from "./struct.ts";

/** Places in the block that every release is written to. */
const AT = {
  submit: 0,
  timeline: 72,
  signalled: 120,
  signalValue: 128,
  command: 136,
  values: 144,
  stages: 656,
  waits: 912,
};
/** How many semaphores a release can wait for. */
const MOST_WAITS = 64;
const SIZE = 912 + 8 * MOST_WAITS;
/** VK_PIPELINE_STAGE_ALL_COMMANDS_BIT. */
const ALL_COMMANDS = 0x10000;

/**
 * The end of frames: submits what waits for the application's semaphores and
 * signals that a buffer may be read. On a timeline of each queue's own, whose
 * values are the fences; without timeline semaphores each release waits.
 */
export class Releases {
  readonly #device: AdaptorDevice;
  readonly #timelines = new Map<bigint, Timeline>();
  #block: NativeBlock | undefined;

  /** Without queues yet. */
  constructor(device: AdaptorDevice) {
    this.#device = device;
  }

  /** Submits the end of a frame: waits for `count` semaphores at an address. A fence, or the VkResult of a failure. */
  release(queue: bigint, count: number, waits: bigint, image: NativeImage): NativeFence | number {
    if (count > MOST_WAITS) return RESULT.ERROR_OUT_OF_HOST_MEMORY;
    const timeline = this.#timelineOf(queue);
    if (typeof timeline === "number") return timeline;
    const block = this.#block ??= newBlock(), { view, address } = block, value = timeline.last + 1n;
    if (count > 0) copy(address + BigInt(AT.waits), waits, 8 * count);
    view.setUint32(AT.submit + 16, count, true);
    view.setUint32(AT.timeline + 16, count, true);
    view.setBigUint64(AT.signalled, timeline.semaphore, true);
    view.setBigUint64(AT.signalValue, value, true);
    const command = image.commandsFor(queue);
    view.setUint32(AT.submit + 40, command === 0n ? 0 : 1, true);
    view.setBigUint64(AT.command, command, true);
    const result = this.#device.commands.vkQueueSubmit(queue, 1, address, 0n);
    if (result < 0) return result;
    timeline.last = value;
    return NativeFence.of(new TimelineFence(this.#device, timeline, value));
  }

  /** Waits for what is left and frees what the releases needed. */
  close(): void {
    for (const timeline of this.#timelines.values()) timeline.close();
    this.#timelines.clear();
    this.#block?.close();
    this.#block = undefined;
  }

  #timelineOf(queue: bigint): Timeline | number {
    const known = this.#timelines.get(queue);
    if (known) return known;
    const semaphore = createTimeline(this.#device);
    if (typeof semaphore === "number") return semaphore;
    const timeline = new Timeline(this.#device, semaphore);
    this.#timelines.set(queue, timeline);
    return timeline;
  }
}

/** A block with everything that is the same for every release. */
function newBlock(): NativeBlock {
  const block = new NativeBlock(SIZE), { view, address } = block;
  const point = (at: number, to: number) => view.setBigUint64(at, address + BigInt(to), true);
  view.setUint32(AT.submit, STYPE.SUBMIT_INFO, true);
  point(AT.submit + 8, AT.timeline);
  point(AT.submit + 24, AT.waits);
  point(AT.submit + 32, AT.stages);
  point(AT.submit + 48, AT.command);
  view.setUint32(AT.submit + 56, 1, true);
  point(AT.submit + 64, AT.signalled);
  view.setUint32(AT.timeline, STYPE.TIMELINE_SEMAPHORE_SUBMIT_INFO, true);
  point(AT.timeline + 24, AT.values);
  view.setUint32(AT.timeline + 32, 1, true);
  point(AT.timeline + 40, AT.signalValue);
  for (let index = 0; index < MOST_WAITS; index++) view.setUint32(AT.stages + 4 * index, ALL_COMMANDS, true);
  return block;
}

/** A new timeline semaphore, or the VkResult of a failure. */
export function createTimeline({ commands, handle }: AdaptorDevice): bigint | number {
  return scratch(() => {
    const type = { sType: STYPE.SEMAPHORE_TYPE_CREATE_INFO, semaphoreType: 1, initialValue: 0n };
    return made((out) =>
      commands.vkCreateSemaphore(handle, write("VkSemaphoreCreateInfo", { pNext: [type] }), 0n, out)
    );
  });
}

/** A timeline semaphore whose values come one after the other. */
class Timeline {
  readonly semaphore: bigint;
  /** The last value that something was submitted to signal. */
  last = 0n;
  readonly #device: AdaptorDevice;
  /** The value that is known to be reached. */
  #reached = 0n;
  readonly #block = new NativeBlock(64);

  constructor(device: AdaptorDevice, semaphore: bigint) {
    this.#device = device;
    this.semaphore = semaphore;
    const { view, address } = this.#block;
    view.setUint32(0, STYPE.SEMAPHORE_WAIT_INFO, true);
    view.setUint32(20, 1, true);
    view.setBigUint64(24, address + 40n, true);
    view.setBigUint64(32, address + 48n, true);
    view.setBigUint64(40, semaphore, true);
  }

  isReached(value: bigint): boolean {
    if (value <= this.#reached) return true;
    const { commands, handle, suffix12 } = this.#device, out = this.#block.address + 56n;
    if (commands[`vkGetSemaphoreCounterValue${suffix12}`](handle, this.semaphore, out) < 0) return true;
    this.#reached = peek64(out);
    return value <= this.#reached;
  }

  wait(value: bigint, nanoseconds: bigint): boolean {
    if (value <= this.#reached) return true;
    const { commands, handle, suffix12 } = this.#device;
    this.#block.view.setBigUint64(48, value, true);
    const result = commands[`vkWaitSemaphores${suffix12}`](handle, this.#block.address, nanoseconds);
    if (result === RESULT.TIMEOUT) return false;
    if (value > this.#reached) this.#reached = value; // reached, or lost with the device
    return true;
  }

  close(): void {
    this.wait(this.last, 2n ** 64n - 1n);
    this.#reached = 2n ** 64n - 1n;
    this.#device.commands.vkDestroySemaphore(this.#device.handle, this.semaphore, 0n);
    this.#block.close();
  }
}

/** A value of a timeline as a fence. */
class TimelineFence implements FenceSource {
  readonly #timeline: Timeline;
  readonly #value: bigint;

  constructor(_device: AdaptorDevice, timeline: Timeline, value: bigint) {
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
    this.wait(2n ** 64n - 1n);
    return -1;
  }
}
