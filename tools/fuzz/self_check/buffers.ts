import { chance, type Choices, pick, randomBytes } from "../../../workbench/programs/choices.ts";
import type { VkBuffer, VkDevice, VkDeviceMemory } from "../../../loader/vk.ts";
import {
  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  VK_WHOLE_SIZE,
} from "../../../loader/vk.ts";
import { NON_COHERENT, VISIBLE_KINDS } from "./memory_kinds.ts";
import { type Context, used } from "./program.ts";

/** A buffer with its simulated contents. */
export interface TestBuffer {
  readonly handle: VkBuffer;
  readonly size: number;
  /** The contents that the device sees, as far as they were ever written. */
  readonly contents: Uint8Array;
  /** The allocation around it; no mapping for memory that the host does not see. */
  readonly block: Block;
  readonly at: number;
  /** Whether the device writes it. */
  readonly isWritten: boolean;
  /** Whether the device copies from it. */
  readonly isSource: boolean;
}

/** The alignment of each buffer in its memory; what every non-coherent atom divides. */
const ALIGNMENT = 256;

/** The most that a program writes or reads at once. */
type Part = { readonly offset: number; readonly size: number };

/** An allocation with the buffers in it. The mapping may come and go. */
export class Block {
  readonly #device: VkDevice;
  readonly #kind: number;
  readonly #size: number;
  readonly #handle: VkDeviceMemory;
  #mapped: { readonly start: number; readonly bytes: Uint8Array } | undefined;

  /** Allocates memory of a kind for buffers, and binds them. */
  constructor(device: VkDevice, kind: number, size: number) {
    this.#device = device;
    this.#kind = kind;
    this.#size = size;
    this.#handle = device.vkAllocateMemory({ allocationSize: BigInt(size), memoryTypeIndex: kind });
  }

  /** Binds a buffer. */
  bind(buffer: VkBuffer, at: number): void {
    this.#device.vkBindBufferMemory(buffer, this.#handle, BigInt(at));
  }

  /** Maps a range that has all buffers; all that there is with no start. */
  map(start = 0): void {
    const address = this.#device.vkMapMemory(this.#handle, BigInt(start), VK_WHOLE_SIZE);
    const view = new Deno.UnsafePointerView(Deno.UnsafePointer.create(address)!);
    this.#mapped = { start, bytes: new Uint8Array(view.getArrayBuffer(this.#size - start)) };
  }

  /** Unmaps and maps again, as programs without persistent maps do. */
  mapAgain(): void {
    if (!this.#mapped) return;
    this.#device.vkUnmapMemory(this.#handle);
    this.map();
  }

  /** Writes bytes, which the device may not see before a flush. */
  write(at: number, bytes: Uint8Array): void {
    this.#bytes(at, bytes.length).set(bytes);
  }

  /** Makes a range visible to the device. */
  flush(at: number, size: number): void {
    this.#device.vkFlushMappedMemoryRanges([this.#atoms(at, size)]);
  }

  /** Makes what the device wrote into a range visible here. */
  invalidate(at: number, size: number): void {
    this.#device.vkInvalidateMappedMemoryRanges([this.#atoms(at, size)]);
  }

  /** Reads bytes. */
  read(at: number, size: number): Uint8Array<ArrayBuffer> {
    return this.#bytes(at, size).slice();
  }

  /** Whether flushes and invalidations are needed. */
  get needsFlush(): boolean {
    return this.#kind === NON_COHERENT;
  }

  /** Frees the memory. */
  close(): void {
    this.#device.vkFreeMemory(this.#handle);
  }

  #bytes(at: number, size: number): Uint8Array<ArrayBuffer> {
    const { start, bytes } = this.#mapped!;
    return bytes.subarray(at - start, at - start + size) as Uint8Array<ArrayBuffer>;
  }

  #atoms(at: number, size: number) {
    const start = Math.floor(at / ALIGNMENT) * ALIGNMENT, end = Math.ceil((at + size) / ALIGNMENT) * ALIGNMENT;
    return { memory: this.#handle, offset: BigInt(start), size: BigInt(Math.min(end, this.#size) - start) };
  }
}

/** Buffer usages beside copies. */
const MORE_USAGES = [
  0,
  0,
  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
];

/** The purpose of a buffer: data for the device, data from it, both, or neither, out of sight of the host. */
export type Purpose = "upload" | "result" | "both" | "scratch";

/** Makes buffers that share memory, of which the host sees the contents unless they are for the device alone. */
export function makeBuffers(
  context: Context,
  device: VkDevice,
  purposes: readonly Purpose[],
  kinds: number,
): TestBuffer[] {
  const { choices } = context, isSeen = purposes.some((each) => each !== "scratch");
  const kind = kinds === 1 ? 0 : isSeen ? pick(choices, VISIBLE_KINDS) : 0;
  const made = purposes.map((purpose) => createBuffer(context, device, purpose));
  let size = chance(choices, 20) ? ALIGNMENT * choices.integer(1, 32) : 0;
  const first = size,
    places = made.map((each) => {
      const at = size;
      size += Math.ceil(each.size / ALIGNMENT) * ALIGNMENT;
      return at;
    });
  const needed = made.map(({ handle }) => Number(device.vkGetBufferMemoryRequirements(handle).size));
  const block = new Block(device, kind, Math.max(size, places.at(-1)! + needed.at(-1)!));
  made.forEach(({ handle }, index) => block.bind(handle, places[index]));
  if (isSeen) block.map(chance(choices, 30) ? first : 0);
  used(context, isSeen ? `memory kind ${kind}` : "memory of the device");
  return made.map((each, index) => ({ ...each, block, at: places[index] }));
}

function createBuffer(context: Context, device: VkDevice, purpose: Purpose): Omit<TestBuffer, "block" | "at"> {
  const { choices } = context, from = VK_BUFFER_USAGE_TRANSFER_SRC_BIT, to = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const size = 1024 * choices.integer(1, 16) + 4 * ++context.buffers;
  const usages = { upload: from | (chance(choices, 30) ? to : 0), result: to, both: from | to, scratch: from | to };
  const usage = usages[purpose] | pick(choices, MORE_USAGES);
  const handle = device.vkCreateBuffer({ size: BigInt(size), usage });
  return {
    handle,
    size,
    contents: new Uint8Array(size),
    isWritten: purpose === "result" || purpose === "both",
    isSource: purpose !== "result",
  };
}

/** Returns a part of a buffer: whole words. */
export function partOf(choices: Choices, { size }: Pick<TestBuffer, "size">, most = size): Part {
  const words = size / 4,
    count = chance(choices, 30) ? Math.min(words, most / 4) : choices.integer(1, Math.min(words, most / 4));
  return { offset: 4 * choices.integer(0, words - count), size: 4 * count };
}

/** Writes new data into a buffer, in one part or several, with the flushes that the memory needs and some that it does not. */
export function writeData(context: Context, buffer: TestBuffer): void {
  const { choices } = context, { block, at, contents } = buffer, parts: Part[] = [];
  for (let count = pick(choices, [1, 1, 2, 4]); count > 0; count--) {
    const part = partOf(choices, buffer), bytes = randomBytes(choices, part.size);
    block.write(at + part.offset, bytes);
    contents.set(bytes, part.offset);
    parts.push(part);
  }
  used(context, `write of ${parts.length} parts`);
  if (block.needsFlush && chance(choices, 50)) return block.flush(at, buffer.size);
  if (!block.needsFlush && !chance(choices, 10)) return;
  used(context, block.needsFlush ? "partial flush" : "needless flush");
  for (const { offset, size } of parts) block.flush(at + offset, size);
}

/** Makes what the device wrote visible; to be called before the host reads or writes the buffer again. */
export function refresh({ choices }: Context, { block, at, size, isWritten }: TestBuffer): void {
  if (isWritten && (block.needsFlush || chance(choices, 10))) block.invalidate(at, size);
}

/** Reads a part of a buffer, and marks the place in the program. */
export function readData(context: Context, device: VkDevice, buffer: TestBuffer): void {
  const { offset, size } = partOf(context.choices, buffer), { block, at, contents } = buffer;
  const mark = context.seen.length + 1, bytes = block.read(at + offset, size);
  context.seen.push({ mark, size: buffer.size, offset, bytes, expected: contents.slice(offset, offset + size) });
  device.vkDestroySampler(device.vkCreateSampler({ minLod: mark, maxLod: mark }));
}
