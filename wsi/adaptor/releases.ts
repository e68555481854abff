import { NativeBlock } from "../../ffi/block.ts";
import { peek64 } from "../../ffi/machine.ts";
import { NativeFence } from "../fence/native_fence.ts";
import type { DriverDevice } from "./driver_device.ts";
import { STYPE } from "./constants.ts";
import { placesOf, setLong } from "./struct.ts";
import type { NativeImage } from "./native_image.ts";
import { PlainReleases } from "./plain_releases.ts";
import { createTimeline, Timeline } from "./timeline.ts";
import type { VirtualSemaphores } from "./virtual_semaphores.ts";
import {
  offsetsOfVkSubmitInfo,
  offsetsOfVkTimelineSemaphoreSubmitInfo,
  sizeOfVkSubmitInfo,
  sizeOfVkTimelineSemaphoreSubmitInfo,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
} from "../../loader/gen/native_gen.ts";

/**
 * Offsets in the block of a release: VkSubmitInfo, VkTimelineSemaphoreSubmitInfo, and the memory that they point to.
 */
const AT = placesOf({
  submit: sizeOfVkSubmitInfo,
  timeline: sizeOfVkTimelineSemaphoreSubmitInfo,
  signaled: 8,
  signalValue: 8,
  command: 8,
  waits: 0,
});
const SUBMIT = offsetsOfVkSubmitInfo, VALUES = offsetsOfVkTimelineSemaphoreSubmitInfo;
/** Bytes for each semaphore that is waited for: its handle, its value, and the stage. */
const WAIT = 24;
/** How many there is room for at first. */
const FEW = 8;

/**
 * The end of frames: submits what waits for the application's semaphores, and
 * signals that a buffer may be read, on a timeline of each queue's own. Without
 * timeline semaphores each release waits.
 */
export class Releases {
  readonly #device: DriverDevice;
  readonly #timelines = new Map<bigint, Timeline>();
  #block: NativeBlock | undefined;
  #plain: PlainReleases | undefined;

  /** Without queues yet. */
  constructor(device: DriverDevice) {
    this.#device = device;
  }

  /** Submits the end of a frame: waits for `count` semaphores at an address. A fence, or the VkResult of a failure. */
  release(queue: bigint, count: number, waits: bigint, image: NativeImage): NativeFence | number {
    const commands = image.commandsFor(this.#device.familyOf(queue));
    if (typeof commands === "number") return commands;
    if (!this.#device.plan.timeline) {
      this.#plain ??= new PlainReleases(this.#device);
      return this.#plain.release(queue, count, waits, commands, image);
    }
    const timeline = this.#timelineOf(queue);
    if (typeof timeline === "number") return timeline;
    const value = timeline.last + 1, { semaphores } = this.#device;
    const block = this.#blockFor(count);
    this.#fill(block.view, timeline, value, commands);
    fillWaits(block, count, waits, semaphores);
    const result = this.#device.commands.vkQueueSubmit(queue, 1, block.address, 0n);
    semaphores?.settle(result >= 0);
    if (result < 0) return result;
    timeline.last = value;
    if (image.backing.tier === "staging") return this.#copied(timeline, value, image);
    return NativeFence.of(timeline.source(value));
  }

  /** Waits for pending releases and frees their resources. */
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
    setLong(view, AT.signalValue, value);
    view.setUint32(AT.submit + SUBMIT.commandBufferCount, commands === 0n ? 0 : 1, true);
    view.setBigUint64(AT.command, commands, true);
  }

  /** The block, with room for so many semaphores. */
  #blockFor(count: number): NativeBlock {
    if (this.#block && count <= roomIn(this.#block)) return this.#block;
    this.#block?.close();
    return this.#block = newBlock(Math.max(FEW, 2 * count));
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

function roomIn(block: NativeBlock): number {
  return (block.size - AT.waits) / WAIT;
}

/** Writes the semaphores to wait for, with the timelines and values of virtual semaphores. */
function fillWaits(block: NativeBlock, count: number, waits: bigint, semaphores: VirtualSemaphores | undefined): void {
  const { view } = block, values = AT.waits + 8 * roomIn(block);
  view.setUint32(AT.submit + SUBMIT.waitSemaphoreCount, count, true);
  view.setUint32(AT.timeline + VALUES.waitSemaphoreValueCount, count, true);
  for (let index = 0; index < count; index++) {
    const handle = peek64(waits + BigInt(8 * index)), semaphore = semaphores?.get(handle);
    view.setBigUint64(AT.waits + 8 * index, semaphore?.imported ? semaphore.shadow : handle, true);
    setLong(view, values + 8 * index, semaphore ? semaphores!.wait(semaphore) : 0);
  }
}

/** A block with everything that is the same for every release. */
function newBlock(room: number): NativeBlock {
  const block = new NativeBlock(AT.waits + WAIT * room), { view, address } = block;
  const point = (at: number, to: number) => view.setBigUint64(at, address + BigInt(to), true);
  const values = AT.waits + 8 * room, stages = values + 8 * room;
  view.setUint32(AT.submit, STYPE.SUBMIT_INFO, true);
  point(AT.submit + SUBMIT.pNext, AT.timeline);
  point(AT.submit + SUBMIT.pWaitSemaphores, AT.waits);
  point(AT.submit + SUBMIT.pWaitDstStageMask, stages);
  point(AT.submit + SUBMIT.pCommandBuffers, AT.command);
  view.setUint32(AT.submit + SUBMIT.signalSemaphoreCount, 1, true);
  point(AT.submit + SUBMIT.pSignalSemaphores, AT.signaled);
  view.setUint32(AT.timeline, STYPE.TIMELINE_SEMAPHORE_SUBMIT_INFO, true);
  point(AT.timeline + VALUES.pWaitSemaphoreValues, values);
  view.setUint32(AT.timeline + VALUES.signalSemaphoreValueCount, 1, true);
  point(AT.timeline + VALUES.pSignalSemaphoreValues, AT.signalValue);
  for (let index = 0; index < room; index++) {
    view.setUint32(stages + 4 * index, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, true);
  }
  return block;
}
