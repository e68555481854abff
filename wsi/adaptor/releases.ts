import { NativeBlock } from "../../ffi/block.ts";
import { peek64 } from "../../ffi/machine.ts";
import { NativeFence } from "../fence/native_fence.ts";
import type { AdaptorDevice } from "./adaptor_device.ts";
import { ALL_COMMANDS } from "./commands.ts";
import { RESULT, STYPE } from "./constants.ts";
import type { NativeImage } from "./native_image.ts";
import { PlainReleases } from "./plain_releases.ts";
import { createTimeline, Timeline } from "./timeline.ts";
import type { VirtualSemaphores } from "./virtual_semaphores.ts";

/** How many semaphores a release can wait for. */
const MOST_WAITS = 64;
/** Places in the block that every release is written to: VkSubmitInfo, VkTimelineSemaphoreSubmitInfo, and what they point to. */
const AT = {
  submit: 0,
  timeline: 72,
  signaled: 120,
  signalValue: 128,
  command: 136,
  values: 144,
  stages: 656,
  waits: 912,
};
const SIZE = AT.waits + 8 * MOST_WAITS;

/**
 * The end of frames: submits what waits for the application's semaphores, and
 * signals that a buffer may be read, on a timeline of each queue's own. Without
 * timeline semaphores each release waits.
 */
export class Releases {
  readonly #device: AdaptorDevice;
  readonly #timelines = new Map<bigint, Timeline>();
  #block: NativeBlock | undefined;
  #plain: PlainReleases | undefined;

  /** Without queues yet. */
  constructor(device: AdaptorDevice) {
    this.#device = device;
  }

  /** Submits the end of a frame: waits for `count` semaphores at an address. A fence, or the VkResult of a failure. */
  release(queue: bigint, count: number, waits: bigint, image: NativeImage): NativeFence | number {
    if (count > MOST_WAITS) return RESULT.ERROR_OUT_OF_HOST_MEMORY;
    const commands = image.commandsFor(this.#device.familyOf(queue));
    if (typeof commands === "number") return commands;
    if (!this.#device.plan.timeline) {
      this.#plain ??= new PlainReleases(this.#device);
      return this.#plain.release(queue, count, waits, commands, image);
    }
    const timeline = this.#timelineOf(queue);
    if (typeof timeline === "number") return timeline;
    const value = timeline.last + 1, { semaphores } = this.#device;
    const block = this.#block ??= newBlock();
    this.#fill(block.view, timeline, value, commands);
    fillWaits(block.view, count, waits, semaphores);
    const result = this.#device.commands.vkQueueSubmit(queue, 1, block.address, 0n);
    semaphores?.settle(result >= 0);
    if (result < 0) return result;
    timeline.last = value;
    if (image.backing.tier === "staging") return this.#copied(timeline, value, image);
    return NativeFence.of(timeline.source(value));
  }

  /** Waits for what is left and frees what the releases needed. */
  close(): void {
    for (const timeline of this.#timelines.values()) timeline.close();
    this.#timelines.clear();
    this.#plain?.close();
    this.#block?.close();
    this.#block = undefined;
  }

  /** Pixels that the host has to fetch are fetched at once: nobody else would do it. */
  #copied(timeline: Timeline, value: number, image: NativeImage): NativeFence {
    const target = image.backing.target();
    image.copied({ isReached: () => timeline.isReached(value), wait: () => void timeline.wait(value) });
    if (typeof target === "number" || !target.fetch) return NativeFence.of(timeline.source(value));
    timeline.wait(value);
    target.fetch();
    return NativeFence.signaled();
  }

  #fill(view: DataView, timeline: Timeline, value: number, commands: bigint): void {
    view.setBigUint64(AT.signaled, timeline.semaphore, true);
    view.setUint32(AT.signalValue, value >>> 0, true);
    view.setUint32(AT.signalValue + 4, Math.floor(value / 2 ** 32), true);
    view.setUint32(AT.submit + 40, commands === 0n ? 0 : 1, true);
    view.setBigUint64(AT.command, commands, true);
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

/** Writes the semaphores to wait for: what stands for virtual ones, and their values. */
function fillWaits(view: DataView, count: number, waits: bigint, semaphores: VirtualSemaphores | undefined): void {
  view.setUint32(AT.submit + 16, count, true);
  view.setUint32(AT.timeline + 16, count, true);
  for (let index = 0; index < count; index++) {
    const handle = peek64(waits + BigInt(8 * index)), semaphore = semaphores?.get(handle);
    view.setBigUint64(AT.waits + 8 * index, semaphore?.imported ? semaphore.shadow : handle, true);
    const value = semaphore ? semaphores!.wait(semaphore) : 0;
    view.setUint32(AT.values + 8 * index, value >>> 0, true);
    view.setUint32(AT.values + 8 * index + 4, Math.floor(value / 2 ** 32), true);
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
  point(AT.submit + 64, AT.signaled);
  view.setUint32(AT.timeline, STYPE.TIMELINE_SEMAPHORE_SUBMIT_INFO, true);
  point(AT.timeline + 24, AT.values);
  view.setUint32(AT.timeline + 32, 1, true);
  point(AT.timeline + 40, AT.signalValue);
  for (let index = 0; index < MOST_WAITS; index++) view.setUint32(AT.stages + 4 * index, ALL_COMMANDS, true);
  return block;
}
