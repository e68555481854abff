import { bindByAddress } from "../../ffi/stubs.ts";
import { peek32, peek64 } from "../../ffi/machine.ts";
import { pixelFormatOfHal } from "../buffer/hal_format.ts";
import { GraphicBuffer } from "../buffer/graphic_buffer.ts";
import { dropBuffer, holdBuffer } from "../queue/buffer_hold.ts";

/** The offsets of the members of ANativeWindowBuffer, of `nativebase/nativebase.h`. */
const AT = {
  incRef: 40n,
  decRef: 48n,
  width: 56n,
  height: 60n,
  stride: 64n,
  format: 68n,
  layerCount: 80n,
  handle: 96n,
  usage: 104n,
};
/** The offsets in native_handle_t of the number of file descriptors, and of the first one. */
const NUM_FDS = 4n, FIRST_FD = 12n;
/** The number of dequeues after which an unused buffer counts as replaced. */
const MOST_UNUSED = 64;

interface Entry {
  readonly buffer: GraphicBuffer;
  lastUse: number;
  isDequeued: boolean;
}

let lastId = 1n << 32n; // gralloc's own numbers are lower

/**
 * The buffers of a real window, by address. Each buffer has a native reference of its own until its last holder drops
 * the buffer, so that an address means the same buffer as long as the buffer is known.
 */
export class AndroidBuffers {
  readonly #entries = new Map<bigint, Entry>();
  readonly #addresses = new WeakMap<GraphicBuffer, bigint>();
  #uses = 0;

  /** Returns the buffer at an address, which was dequeued. */
  dequeued(address: bigint): GraphicBuffer {
    let entry = this.#entries.get(address);
    if (!entry) {
      entry = { buffer: holdBuffer(this.#wrap(address)), lastUse: 0, isDequeued: false };
      this.#entries.set(address, entry);
      this.#addresses.set(entry.buffer, address);
    }
    entry.lastUse = ++this.#uses;
    entry.isDequeued = true;
    this.#dropUnused();
    return entry.buffer;
  }

  /** The address of a dequeued buffer; 0n for another buffer. */
  addressOf(buffer: GraphicBuffer): bigint {
    const address = this.#addresses.get(buffer) ?? 0n;
    return this.#entries.get(address)?.isDequeued ? address : 0n;
  }

  /** Notes that the buffer at an address was queued or cancelled. */
  handedBack(address: bigint): void {
    const entry = this.#entries.get(address);
    if (entry) entry.isDequeued = false;
  }

  /** Drops all buffers. */
  clear(): void {
    for (const address of [...this.#entries.keys()]) this.#drop(address);
  }

  #dropUnused(): void {
    for (const [address, { isDequeued, lastUse }] of this.#entries) {
      if (!isDequeued && lastUse + MOST_UNUSED < this.#uses) this.#drop(address);
    }
  }

  #drop(address: bigint): void {
    const { buffer } = this.#entries.get(address)!;
    this.#entries.delete(address);
    dropBuffer(buffer);
  }

  #wrap(address: bigint): GraphicBuffer {
    const int = (at: bigint) => peek32(address + at) | 0;
    const handle = peek64(address + AT.handle), stride = int(AT.stride);
    const reference = (at: bigint) => bindByAddress("v:q")(address, peek64(address + at));
    const fd = handle !== 0n && peek32(handle + NUM_FDS) > 0 ? peek32(handle + FIRST_FD) | 0 : -1;
    const buffer = new GraphicBuffer({
      width: int(AT.width),
      height: int(AT.height),
      format: int(AT.format),
      usage: peek64(address + AT.usage),
      layers: Number(peek64(address + AT.layerCount)) || 1,
    }, {
      id: ++lastId,
      stride,
      rowPitch: stride * (pixelFormatOfHal(int(AT.format))?.bytesPerPixel ?? 1),
      memory: { fd, address: 0n, size: 0, close() {} }, // gralloc's memory, which this process has not mapped
      handle,
      close: () => void reference(AT.decRef),
    });
    reference(AT.incRef);
    return buffer;
  }
}
