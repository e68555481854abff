import { NativeBlock } from "../../ffi/block.ts";
import { copyMemory, peek32, peek64 } from "../../ffi/machine.ts";
import { codecBySType } from "../../loader/codec/codec.ts";
import { chain, findInChain, nextOf } from "../../loader/driver/structs/create_info.ts";
import {
  offsetsOfVkBindSparseInfo,
  offsetsOfVkSemaphoreSubmitInfo,
  offsetsOfVkSubmitInfo,
  offsetsOfVkSubmitInfo2,
  offsetsOfVkTimelineSemaphoreSubmitInfo,
  sizeOfVkBindSparseInfo,
  sizeOfVkSemaphoreSubmitInfo,
  sizeOfVkSubmitInfo,
  sizeOfVkSubmitInfo2,
  sizeOfVkTimelineSemaphoreSubmitInfo,
  VkTimelineSemaphoreSubmitInfo,
} from "../../loader/gen/native_gen.ts";
import { STYPE } from "./constants.ts";
import { setLong } from "./struct.ts";
import type { VirtualSemaphores } from "./virtual_semaphores.ts";

/** A submission's struct: its size and the offsets of its semaphores. */
export interface SubmitShape {
  readonly size: number;
  /** Offset of the number of semaphores to wait for; the list follows 8 bytes behind. */
  readonly waits: number;
  readonly signals: number;
}

const SUBMIT_INFO = offsetsOfVkSubmitInfo, SPARSE_INFO = offsetsOfVkBindSparseInfo;
/** VkSubmitInfo and VkBindSparseInfo. */
export const SUBMIT: SubmitShape = {
  size: sizeOfVkSubmitInfo,
  waits: SUBMIT_INFO.waitSemaphoreCount,
  signals: SUBMIT_INFO.signalSemaphoreCount,
};
export const BIND_SPARSE: SubmitShape = {
  size: sizeOfVkBindSparseInfo,
  waits: SPARSE_INFO.waitSemaphoreCount,
  signals: SPARSE_INFO.signalSemaphoreCount,
};
/** VkSubmitInfo2, whose lists are of VkSemaphoreSubmitInfo. */
const SUBMIT_2 = offsetsOfVkSubmitInfo2, SUBMIT_2_SIZE = sizeOfVkSubmitInfo2;
const SEMAPHORE_INFO = offsetsOfVkSemaphoreSubmitInfo, SEMAPHORE_INFO_SIZE = sizeOfVkSemaphoreSubmitInfo;
/** Offsets in an application's VkTimelineSemaphoreSubmitInfo of the values to wait for and to signal. */
const WAIT_VALUES = {
  count: VkTimelineSemaphoreSubmitInfo.waitSemaphoreValueCount,
  values: VkTimelineSemaphoreSubmitInfo.pWaitSemaphoreValues,
};
const SIGNAL_VALUES = {
  count: VkTimelineSemaphoreSubmitInfo.signalSemaphoreValueCount,
  values: VkTimelineSemaphoreSubmitInfo.pSignalSemaphoreValues,
};
const TIMELINE = offsetsOfVkTimelineSemaphoreSubmitInfo, TIMELINE_SIZE = sizeOfVkTimelineSemaphoreSubmitInfo;

/**
 * Rewrites submissions for the driver, in memory that lasts until the next one:
 * operations on virtual semaphores get their values. After the submission the
 * caller settles the semaphores.
 */
export class SubmitRewriter {
  readonly #semaphores: VirtualSemaphores;
  readonly #block = new SubmitBlock();

  /** For the semaphores of a device. */
  constructor(semaphores: VirtualSemaphores) {
    this.#semaphores = semaphores;
  }

  /** VkSubmitInfos, or VkBindSparseInfos: where they are now; `infos` itself when no virtual semaphore is among them. */
  rewrite(shape: SubmitShape, count: number, infos: bigint): bigint {
    const block = this.#block;
    block.begin(roomFor(shape, count, infos));
    const copies = block.copyIn(infos, shape.size * count);
    let isChanged = false;
    for (let index = 0; index < count; index++) {
      if (this.#rewriteOne(shape, copies + shape.size * index)) isChanged = true;
    }
    return isChanged ? block.addressOf(copies) : infos;
  }

  /** Rewrites VkSubmitInfo2s. */
  rewrite2(count: number, infos: bigint): bigint {
    const block = this.#block;
    block.begin(roomFor2(count, infos));
    const copies = block.copyIn(infos, SUBMIT_2_SIZE * count);
    let isChanged = false;
    for (let index = 0; index < count; index++) {
      const at = copies + SUBMIT_2_SIZE * index;
      if (this.#rewriteList2(at + SUBMIT_2.waitSemaphoreInfoCount, at + SUBMIT_2.pWaitSemaphoreInfos, false)) {
        isChanged = true;
      }
      if (this.#rewriteList2(at + SUBMIT_2.signalSemaphoreInfoCount, at + SUBMIT_2.pSignalSemaphoreInfos, true)) {
        isChanged = true;
      }
    }
    return isChanged ? block.addressOf(copies) : infos;
  }

  /** Frees the memory. */
  close(): void {
    this.#block.close();
  }

  /** Gives one struct values for its semaphores; whether any of them is virtual. */
  #rewriteOne({ waits, signals }: SubmitShape, at: number): boolean {
    const { view } = this.#block;
    const waitCount = view.getUint32(at + waits, true), signalCount = view.getUint32(at + signals, true);
    if (!this.#hasVirtual(waitCount, at + waits + 8) && !this.#hasVirtual(signalCount, at + signals + 8)) return false;
    const block = this.#block, first = view.getBigUint64(at + 8, true);
    const own = first === 0n ? 0n : findInChain(first, STYPE.TIMELINE_SEMAPHORE_SUBMIT_INFO);
    const timeline = block.alloc(TIMELINE_SIZE);
    block.view.setUint32(timeline, STYPE.TIMELINE_SEMAPHORE_SUBMIT_INFO, true);
    this.#giveValues(at + waits, waitCount, timeline + TIMELINE.waitSemaphoreValueCount, own, false);
    this.#giveValues(at + signals, signalCount, timeline + TIMELINE.signalSemaphoreValueCount, own, true);
    const rest = own === 0n ? first : this.#chainWithout(first, own);
    block.view.setBigUint64(timeline + 8, rest, true);
    block.point(at + 8, timeline);
    return true;
  }

  #hasVirtual(count: number, list: number): boolean {
    if (count === 0) return false;
    const address = this.#block.view.getBigUint64(list, true);
    for (let index = 0; index < count; index++) {
      if (this.#semaphores.get(peek64(address + BigInt(8 * index)))) return true;
    }
    return false;
  }

  /** Writes the values of a list of semaphores, and the list itself where others stand for them. */
  #giveValues(list: number, count: number, values: number, own: bigint, isSignal: boolean): void {
    const block = this.#block, { view } = block, given = block.alloc(8 * count), handles = block.alloc(8 * count);
    const address = view.getBigUint64(list + 8, true);
    const at = isSignal ? SIGNAL_VALUES : WAIT_VALUES, known = own === 0n ? 0 : peek32(own + at.count);
    const knownAt = known === 0 ? 0n : peek64(own + at.values);
    for (let index = 0; index < count; index++) {
      const handle = peek64(address + BigInt(8 * index));
      view.setBigUint64(handles + 8 * index, this.#standIn(handle, isSignal), true);
      const value = this.#valueOf(handle, isSignal);
      if (value !== undefined) setLong(view, given + 8 * index, value);
      else view.setBigUint64(given + 8 * index, index < known ? peek64(knownAt + BigInt(8 * index)) : 0n, true);
    }
    view.setUint32(values, count, true);
    view.setUint32(values + 4, 0, true);
    block.point(values + 8, given);
    if (count > 0) block.point(list + 8, handles);
  }

  /** The handle below that an operation uses. The caller must ask for the handle before the value. */
  #standIn(handle: bigint, isSignal: boolean): bigint {
    const semaphore = this.#semaphores.get(handle);
    if (semaphore?.imported === undefined) return handle;
    return isSignal && semaphore.imported === "temporary" ? handle : semaphore.shadow;
  }

  #valueOf(handle: bigint, isSignal: boolean): number | undefined {
    const semaphore = this.#semaphores.get(handle);
    return semaphore && (isSignal ? this.#semaphores.signal(semaphore) : this.#semaphores.wait(semaphore));
  }

  #rewriteList2(countAt: number, listAt: number, isSignal: boolean): boolean {
    const block = this.#block, count = block.view.getUint32(countAt, true);
    if (count === 0) return false;
    const from = block.view.getBigUint64(listAt, true), size = SEMAPHORE_INFO_SIZE;
    const list = block.copyIn(from, size * count), { view } = block;
    let isChanged = false;
    for (let at = list; at < list + size * count; at += size) {
      const handle = view.getBigUint64(at + SEMAPHORE_INFO.semaphore, true);
      const standIn = this.#standIn(handle, isSignal), value = this.#valueOf(handle, isSignal);
      if (value === undefined) continue;
      isChanged = true;
      view.setBigUint64(at + SEMAPHORE_INFO.semaphore, standIn, true);
      setLong(view, at + SEMAPHORE_INFO.value, value);
    }
    block.point(listAt, list);
    return isChanged;
  }

  /** The application's chain without its own values, which ours stand for: what comes before them is copied. */
  #chainWithout(first: bigint, gone: bigint): bigint {
    const block = this.#block, links: number[] = [];
    for (const { sType, address } of chain(first)) {
      if (address === gone) break;
      const size = codecBySType(sType)?.layout.size;
      if (size === undefined) continue; // neither its length nor its meaning is known
      links.push(block.copyIn(address, size));
    }
    links.forEach((at, index) => {
      if (index + 1 < links.length) block.point(at + 8, links[index + 1]);
      else block.view.setBigUint64(at + 8, nextOf(gone), true);
    });
    return links.length > 0 ? block.addressOf(links[0]) : nextOf(gone);
  }
}

/** The most bytes that rewriting takes. */
function roomFor(shape: SubmitShape, count: number, infos: bigint): number {
  let bytes = 0;
  for (let index = 0; index < count; index++) {
    const at = infos + BigInt(shape.size * index), first = nextOf(at);
    const semaphores = peek32(at + BigInt(shape.waits)) + peek32(at + BigInt(shape.signals));
    bytes += shape.size + TIMELINE_SIZE + 16 * semaphores;
    if (first === 0n) continue;
    for (const { sType } of chain(first)) bytes += 8 + (codecBySType(sType)?.layout.size ?? 0);
  }
  return bytes;
}

function roomFor2(count: number, infos: bigint): number {
  let semaphores = 0;
  for (let index = 0; index < count; index++) {
    const at = infos + BigInt(SUBMIT_2_SIZE * index);
    semaphores += peek32(at + BigInt(SUBMIT_2.waitSemaphoreInfoCount)) +
      peek32(at + BigInt(SUBMIT_2.signalSemaphoreInfoCount));
  }
  return SUBMIT_2_SIZE * count + SEMAPHORE_INFO_SIZE * semaphores;
}

/** Native memory for a rewritten submission. The memory does not move during a submission. */
class SubmitBlock {
  #block: NativeBlock;
  #used = 0;

  /** Makes a block with some room. */
  constructor(size = 4096) {
    this.#block = new NativeBlock(size);
  }

  /** The memory. Another one after {@linkcode SubmitBlock.begin}. */
  get view(): DataView {
    return this.#block.view;
  }

  /** Address of the first byte. */
  get address(): bigint {
    return this.#block.address;
  }

  /** Starts a new submission with the given number of bytes at least; earlier contents are lost. */
  begin(size: number): void {
    if (size > this.#block.size) {
      this.#block.close();
      this.#block = new NativeBlock(2 * size);
    }
    this.#used = 0;
  }

  /** A place for so many bytes, 8-aligned; {@linkcode SubmitBlock.begin} has made sure of them. */
  alloc(size: number): number {
    const at = this.#used;
    this.#used += size + 7 & ~7;
    return at;
  }

  /** A place with a copy of native memory. */
  copyIn(address: bigint, size: number): number {
    const at = this.alloc(size);
    copyMemory(this.#block.address + BigInt(at), address, size);
    return at;
  }

  /** Address of a place. */
  addressOf(at: number): bigint {
    return this.#block.address + BigInt(at);
  }

  /** Stores the address of one offset at another offset. */
  point(from: number, to: number): void {
    this.#block.view.setBigUint64(from, this.addressOf(to), true);
  }

  /** Frees the memory. A second call does nothing. */
  close(): void {
    this.#block.close();
  }
}
