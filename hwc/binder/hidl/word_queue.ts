import { duplicate } from "../../../ffi/file/file_descriptor.ts";
import { allocateMemory, type BufferMemory, mapMemory } from "../../../wsi/buffer/memory.ts";
import { noDescriptor } from "../../../wsi/fence/descriptor.ts";
import { closeHandle } from "../served/buffer_slots.ts";
import type { QueueDescriptor } from "../parcel/hidl/types.ts";
import { failWith, STATUS } from "../status.ts";

/** Places of the counters of bytes: those that were read, and those that were written. */
const READ = 0, WRITTEN = 1;
const RING_AT = 16, WORD = 4, SYNCHRONIZED = 1;
/** Bytes of a ring that is taken from another process at most. */
const MOST_BYTES = 1 << 24;

/**
 * A fast message queue of words between two processes: a ring in shared memory, and two counters of bytes that only
 * grow. The call of binder between writing and reading orders both sides' memory.
 */
export class WordQueue {
  readonly #memory: BufferMemory;
  readonly #counters: BigUint64Array<ArrayBuffer>;
  readonly #ring: Uint32Array<ArrayBuffer>;

  private constructor(memory: BufferMemory, counters: number, ring: number, bytes: number) {
    this.#memory = memory;
    const all = Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(memory.address)!, memory.size);
    this.#counters = new BigUint64Array(all, counters, 2);
    this.#ring = new Uint32Array(all, ring, bytes / WORD);
  }

  /** A new queue with room for so many words. */
  static create(words: number): WordQueue {
    const bytes = WORD * words, memory = allocateMemory(RING_AT + bytes, 0n, "memfd");
    return new WordQueue(memory, 0, RING_AT, bytes);
  }

  /** Attaches to another process's queue. Consumes its handle. BAD_VALUE for one that does not fit its memory. */
  static attach({ grantors, handle, quantum, flags }: QueueDescriptor): WordQueue {
    try {
      const [read, written, ring] = grantors, extent = Number(ring?.extent ?? 0n), fd = handle?.fds[ring?.fdIndex ?? 0];
      const isOrdered = read?.offset + 8 === written?.offset && read.offset % 8 === 0 && ring.offset % 8 === 0;
      const isRing = extent > 0 && extent % WORD === 0 && extent <= MOST_BYTES && isOrdered;
      if (!isRing || quantum !== WORD || flags !== SYNCHRONIZED || fd === undefined) {
        failWith(STATUS.BAD_VALUE, "the queue is no synchronized queue of words with its counters side by side");
      }
      const memory = mapMemory(duplicate(fd), Math.max(ring.offset + extent, written.offset + 8));
      return new WordQueue(memory, read.offset, ring.offset, extent);
    } finally {
      closeHandle(handle);
    }
  }

  /** Room for so many words in all. */
  get size(): number {
    return this.#ring.length;
  }

  /** The description for another process; its descriptor is the caller's. */
  describe(): QueueDescriptor {
    const fd = duplicate(this.#memory.fd), extent = BigInt(WORD * this.size);
    if (fd < 0) throw noDescriptor("a queue");
    const grantors = [{ offset: 8 * READ, extent: 8n }, { offset: 8 * WRITTEN, extent: 8n }, {
      offset: RING_AT,
      extent,
    }];
    return {
      grantors: grantors.map((grantor) => ({ flags: 0, fdIndex: 0, ...grantor })),
      handle: { fds: [fd], ints: [] },
      quantum: WORD,
      flags: SYNCHRONIZED,
    };
  }

  /** Writes words, behind discarding those that nobody read. Returns whether there was room. */
  write(words: Uint32Array): boolean {
    if (words.length > this.size) return false;
    const counters = this.#counters, start = this.#position(counters[WRITTEN]);
    counters[READ] = counters[WRITTEN];
    const first = words.subarray(0, this.size - start);
    this.#ring.set(first, start);
    this.#ring.set(words.subarray(first.length), 0);
    counters[WRITTEN] += BigInt(WORD * words.length);
    return true;
  }

  /** Reads so many words; `undefined` if there are not that many. */
  read(count: number): Uint32Array<ArrayBuffer> | undefined {
    const counters = this.#counters, has = counters[WRITTEN] - counters[READ];
    if (BigInt(count * WORD) > has || count > this.size) return undefined;
    const start = this.#position(counters[READ]), words = new Uint32Array(count);
    const first = this.#ring.subarray(start, Math.min(start + count, this.size));
    words.set(first);
    words.set(this.#ring.subarray(0, count - first.length), first.length);
    counters[READ] += BigInt(WORD * count);
    return words;
  }

  /** Unmaps the memory. */
  close(): void {
    this.#memory.close();
  }

  #position(bytes: bigint): number {
    return Number(bytes % BigInt(WORD * this.size)) / WORD | 0;
  }
}
