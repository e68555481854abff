import { type Arena, inFrame } from "../../../../ffi/arena.ts";
import { peek32, peek64 } from "../../../../ffi/machine.ts";
import type { NativeCall } from "../../../../loader/command/compile.ts";
import { codec } from "../../../../loader/codec/codec.ts";
import {
  offsetsOfVkCommandBufferSubmitInfo,
  offsetsOfVkSubmitInfo,
  offsetsOfVkSubmitInfo2,
  sizeOfVkCommandBufferSubmitInfo,
  sizeOfVkSubmitInfo,
  sizeOfVkSubmitInfo2,
  VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO,
  VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO,
} from "../../../../loader/gen/native_gen.ts";
import { findInChain } from "../../../../loader/driver/structs/create_info.ts";
import type { Arguments } from "../../../../loader/layers/shipped/trace/arguments.ts";
import type { Bracket } from "./brackets.ts";

/** The description of one batch by a command, and of one command buffer of the batch. */
interface Shape {
  readonly size: number;
  readonly count: number;
  readonly list: number;
  readonly flags?: number;
  readonly entry: number;
  readonly buffer: number;
  readonly write: (buffer: bigint, at: number, memory: Arena) => void;
}

const SHAPE: Shape = {
  size: sizeOfVkSubmitInfo,
  count: offsetsOfVkSubmitInfo.commandBufferCount,
  list: offsetsOfVkSubmitInfo.pCommandBuffers,
  entry: 8,
  buffer: 0,
  write: (buffer, at, { view }) => view.setBigUint64(at, buffer, true),
};
const SHAPE_2: Shape = {
  size: sizeOfVkSubmitInfo2,
  count: offsetsOfVkSubmitInfo2.commandBufferInfoCount,
  list: offsetsOfVkSubmitInfo2.pCommandBufferInfos,
  flags: offsetsOfVkSubmitInfo2.flags,
  entry: sizeOfVkCommandBufferSubmitInfo,
  buffer: offsetsOfVkCommandBufferSubmitInfo.commandBuffer,
  write: (buffer, at) => codec("VkCommandBufferSubmitInfo").encode({ commandBuffer: buffer }, at),
};

/** Structs that speak of each command buffer of a batch, or of memory that ordinary command buffers may not use. */
const FIXED = [VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO, VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO];

/** The batches that a vkQueueSubmit, vkQueueSubmit2 or vkQueueSubmit2KHR submits. */
export class Batches {
  /** The command buffers, in order. */
  readonly buffers: readonly bigint[];
  readonly #args: Arguments;
  readonly #shape: Shape;
  /** The batches with command buffers, by number. */
  readonly #full: readonly number[];

  /** Reads the arguments of a command. */
  constructor(command: string, args: Arguments) {
    this.#shape = command === "vkQueueSubmit" ? SHAPE : SHAPE_2;
    this.#args = args;
    const length = args[2] === 0n ? 0 : args[1] as number;
    const batches = Array.from({ length }, (_, index) => this.#buffersOf(this.#at(index)));
    this.buffers = batches.flat();
    this.#full = batches.flatMap(({ length }, index) => length > 0 ? [index] : []);
  }

  /** Whether a bracket can stand around the work. */
  get canGrow(): boolean {
    const [first, last] = [this.#full[0], this.#full.at(-1)];
    return first !== undefined && this.#isPlain(this.#at(first)) && this.#isPlain(this.#at(last!));
  }

  /** Calls the command with a bracket around the work: in the first and the last batch that have command buffers. */
  within({ before, after }: Bracket, next: NativeCall): number {
    const [queue, count, , fence] = this.#args, { size } = this.#shape;
    return inFrame((memory) => {
      const copy = memory.copyIn(this.#at(0), size * (count as number));
      this.#grow(memory, copy, this.#full[0], (buffers) => [before, ...buffers]);
      this.#grow(memory, copy, this.#full.at(-1)!, (buffers) => [...buffers, after]);
      return next(queue, count, memory.address(copy), fence);
    });
  }

  /** Writes a batch's list of command buffers again, with what `change` adds. Entries that were there stay as they are. */
  #grow(
    memory: Arena,
    copy: number,
    index: number,
    change: (entries: (bigint | number)[]) => (bigint | number)[],
  ): void {
    const { size, count, list, entry, write } = this.#shape, { view } = memory, batch = copy + size * index;
    const had = view.getUint32(batch + count, true),
      old = memory.copyIn(view.getBigUint64(batch + list, true), had * entry);
    const entries = change(Array.from({ length: had }, (_, at) => old + at * entry));
    const lists = memory.alloc(entry * entries.length);
    entries.forEach((each, at) => {
      if (typeof each === "bigint") write(each, lists + at * entry, memory);
      else memory.bytes.copyWithin(lists + at * entry, each, each + entry);
    });
    view.setUint32(batch + count, entries.length, true);
    view.setBigUint64(batch + list, memory.address(lists), true);
  }

  #at(index: number): bigint {
    return (this.#args[2] as bigint) + BigInt(this.#shape.size * index);
  }

  #buffersOf(batch: bigint): bigint[] {
    const { count, list, entry, buffer } = this.#shape, at = peek64(batch + BigInt(list));
    const length = at === 0n ? 0 : peek32(batch + BigInt(count));
    return Array.from({ length }, (_, index) => peek64(at + BigInt(index * entry + buffer)));
  }

  #isPlain(batch: bigint): boolean {
    const { flags } = this.#shape;
    if (flags !== undefined && peek32(batch + BigInt(flags)) !== 0) return false;
    const first = peek64(batch + BigInt(offsetsOfVkSubmitInfo.pNext));
    return FIXED.every((sType) => findInChain(first, sType) === 0n);
  }
}
