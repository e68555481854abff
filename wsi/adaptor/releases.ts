import { NativeBlock } from "../../ffi/block.ts";
import { peek64 } from "../../ffi/machine.ts";
import { NativeFence } from "../fence/native_fence.ts";
import type { DriverDevice } from "./driver_device.ts";
import { STYPE, SYNC_FD } from "./constants.ts";
import { made, placesOf, scratch, setLong, write } from "./struct.ts";
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
import { arena } from "../../ffi/arena.ts";

/** The handle of no semaphore. */
const NONE = 0n;

/**
 * The sync_files of a queue's releases, which the driver makes of a binary semaphore. An export takes the payload with
 * it, so that one semaphore serves all releases of the queue. After a refusal the payload stays, and nothing is
 * exported any more.
 */
class ReleaseExport {
  readonly #device: DriverDevice;
  #semaphore: bigint | undefined;
  #isRefused = false;

  /** Without a semaphore yet. */
  constructor(device: DriverDevice) {
    this.#device = device;
  }

  /** The semaphore that the next release signals; 0n if its signal is not to be exported. */
  get semaphore(): bigint {
    if (this.#isRefused) return NONE;
    return this.#semaphore ??= this.#make();
  }

  /**
   * The fence of a release that was submitted and signals the semaphore. The driver gives -1 for one that is signalled.
   * `undefined` if the driver refuses.
   */
  take(): NativeFence | undefined {
    const { commands, handle } = this.#device, semaphore = this.#semaphore!, memory = arena();
    const fd = scratch(() => {
      const out = memory.alloc(4),
        info = write("VkSemaphoreGetFdInfoKHR", { semaphore, handleType: SYNC_FD.semaphores });
      const result = commands.vkGetSemaphoreFdKHR(handle, info, memory.address(out));
      return result < 0 ? undefined : memory.view.getInt32(out, true);
    });
    if (fd !== undefined) return NativeFence.adopt(fd);
    this.#isRefused = true;
    this.#device.say(`${this.#device.gpu.name} exports no sync_file: the fence worker waits for releases from now on`);
    return undefined;
  }

  /** Destroys the semaphore, whose signals must have happened. */
  close(): void {
    const { commands, handle } = this.#device;
    if (this.#semaphore) commands.vkDestroySemaphore(handle, this.#semaphore, 0n);
    this.#semaphore = NONE;
  }

  #make(): bigint {
    const { commands, handle } = this.#device;
    const exported = { sType: STYPE.EXPORT_SEMAPHORE_CREATE_INFO, handleTypes: SYNC_FD.semaphores };
    const semaphore = scratch(() => {
      const info = write("VkSemaphoreCreateInfo", { pNext: [exported] });
      return made((out) => commands.vkCreateSemaphore(handle, info, 0n, out));
    });
    return typeof semaphore === "number" ? NONE : semaphore;
  }
}

/**
 * Offsets in the block of a release: VkSubmitInfo, VkTimelineSemaphoreSubmitInfo, and the memory that they point to.
 */
const AT = placesOf({
  submit: sizeOfVkSubmitInfo,
  timeline: sizeOfVkTimelineSemaphoreSubmitInfo,
  signaled: 16, // the timeline, and the semaphore that is exported
  signalValue: 16,
  command: 8,
  waits: 0,
});
const SUBMIT = offsetsOfVkSubmitInfo, VALUES = offsetsOfVkTimelineSemaphoreSubmitInfo;
/** Bytes for each semaphore that is waited for: its handle, its value, and the stage. */
const WAIT = 24;
/** The semaphores that there is room for at first. */
const FEW = 8;

/** A device that knows what its frames begin with. */
interface ReleasingDevice extends DriverDevice {
  /** The beginning of frames. */
  readonly acquires: { readonly isFollowing: boolean };
}

/** The semaphores and values that the releases of a queue signal. */
interface Signals {
  readonly timeline: Timeline;
  readonly exported: ReleaseExport;
}

/**
 * The end of frames: submits what waits for the application's semaphores, and
 * signals that a buffer may be read, on a timeline of each queue's own, and by a
 * sync_file where the driver exports such. Without timeline semaphores each
 * release waits.
 */
export class Releases {
  readonly #device: ReleasingDevice;
  readonly #signals = new Map<bigint, Signals>();
  #block: NativeBlock | undefined;
  #plain: PlainReleases | undefined;

  /** Without queues yet. */
  constructor(device: ReleasingDevice) {
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
    const signals = this.#signalsOf(queue);
    if (typeof signals === "number") return signals;
    const { timeline, exported } = signals, semaphore = this.#isExported(image) ? exported.semaphore : 0n;
    const value = timeline.last + 1, { semaphores } = this.#device;
    const block = this.#blockFor(count);
    this.#fill(block.view, timeline, value, commands);
    addSignal(block.view, semaphore);
    fillWaits(block, count, waits, semaphores);
    const result = this.#device.commands.vkQueueSubmit(queue, 1, block.address, 0n);
    semaphores?.settle(result >= 0);
    if (result < 0) return result;
    timeline.last = value;
    if (image.backing.tier === "staging" && this.#copied(timeline, value, image)) return NativeFence.signaled();
    return (semaphore === 0n ? undefined : exported.take()) ?? NativeFence.of(timeline.source(value));
  }

  /** Waits for pending releases and frees their resources. */
  close(): void {
    for (const { timeline, exported } of this.#signals.values()) {
      timeline.close();
      exported.close();
    }
    this.#signals.clear();
    this.#plain?.close();
    this.#block?.close();
    this.#block = undefined;
  }

  /**
   * Whether the driver gives the release's fence. All that a signal depends on must be with the driver when the signal
   * is exported: the fence worker's signals are not there yet. Nobody waits for a release whose pixels are fetched here.
   */
  #isExported(image: NativeImage): boolean {
    const { plan, acquires } = this.#device;
    return plan.syncFd.exports && !acquires.isFollowing && !fetchOf(image);
  }

  /** Pixels that the host has to fetch are fetched at once, since nobody else would do it. Returns whether they were. */
  #copied(timeline: Timeline, value: number, image: NativeImage): boolean {
    image.copied({ isReached: () => timeline.isReached(value), wait: () => void timeline.wait(value) });
    const fetch = fetchOf(image);
    if (!fetch) return false;
    timeline.wait(value);
    fetch();
    return true;
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

  #signalsOf(queue: bigint): Signals | number {
    const known = this.#signals.get(queue);
    if (known) return known;
    const semaphore = createTimeline(this.#device);
    if (typeof semaphore === "number") return semaphore;
    const device = this.#device,
      signals = { timeline: new Timeline(device, semaphore), exported: new ReleaseExport(device) };
    this.#signals.set(queue, signals);
    return signals;
  }
}

/** Fetches an image's pixels; `undefined` if nothing is to be fetched. */
function fetchOf({ backing }: NativeImage): (() => void) | undefined {
  const target = backing.tier === "staging" ? backing.target() : 0;
  return typeof target === "number" ? undefined : target.fetch;
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

/** Adds a binary semaphore to what is signalled; 0n for none. */
function addSignal(view: DataView, semaphore: bigint): void {
  const count = semaphore === 0n ? 1 : 2;
  view.setUint32(AT.submit + SUBMIT.signalSemaphoreCount, count, true);
  view.setUint32(AT.timeline + VALUES.signalSemaphoreValueCount, count, true);
  view.setBigUint64(AT.signaled + 8, semaphore, true);
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
  point(AT.submit + SUBMIT.pSignalSemaphores, AT.signaled);
  view.setUint32(AT.timeline, STYPE.TIMELINE_SEMAPHORE_SUBMIT_INFO, true);
  point(AT.timeline + VALUES.pWaitSemaphoreValues, values);
  point(AT.timeline + VALUES.pSignalSemaphoreValues, AT.signalValue);
  for (let index = 0; index < room; index++) {
    view.setUint32(stages + 4 * index, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, true);
  }
  return block;
}
