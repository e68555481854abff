import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { FenceRelay } from "../fence_relay.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";

/** Names buffers so that the other side knows which are meant. */
export interface BufferNames {
  /** Writes the name of a buffer. */
  write(to: Writer, buffer: GraphicBuffer): void;
}

const FIRST_SIZE = 1024;

/** Bytes and file descriptors of a message in the making. */
export class Writer {
  /** File descriptors to be sent; the writer owns them until they are taken. */
  readonly fds: number[] = [];
  /** Slots of buffers that are new to the other side. */
  readonly newSlots: Set<number> = new Set();
  /** The names of buffers; a server names none. */
  readonly names: BufferNames | undefined;
  /** The form in which fences are sent. */
  readonly relay: FenceRelay;
  /** The last fence that was written, and the number of its file descriptor. */
  #last: { readonly fence: NativeFence; readonly number: number } | undefined;
  #bytes = new Uint8Array(FIRST_SIZE);
  #view = new DataView(this.#bytes.buffer);
  #size = 0;

  /** An empty message. */
  constructor(relay: FenceRelay = new FenceRelay(), names?: BufferNames) {
    this.relay = relay;
    this.names = names;
  }

  /** Bytes so far. */
  get size(): number {
    return this.#size;
  }

  /** The bytes written so far, valid until the next write. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#size);
  }

  /** uint8_t */
  u8(value: number): void {
    const at = this.#grow(1);
    this.#view.setUint8(at, value);
  }

  /** uint32_t */
  u32(value: number): void {
    const at = this.#grow(4);
    this.#view.setUint32(at, value, true);
  }

  /** int32_t */
  i32(value: number): void {
    const at = this.#grow(4);
    this.#view.setInt32(at, value, true);
  }

  /** uint64_t */
  u64(value: bigint): void {
    const at = this.#grow(8);
    this.#view.setBigUint64(at, value, true);
  }

  /** int64_t */
  i64(value: bigint): void {
    const at = this.#grow(8);
    this.#view.setBigInt64(at, value, true);
  }

  /** double */
  f64(value: number): void {
    const at = this.#grow(8);
    this.#view.setFloat64(at, value, true);
  }

  /** Writes bytes unchanged. */
  raw(bytes: Uint8Array): void {
    const at = this.#grow(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** A file descriptor, which is the writer's from now on, by its number in the message. */
  fd(fd: number): void {
    this.u32(this.fds.length);
    this.fds.push(fd);
  }

  /** A fence by its file descriptor, which is the writer's from now on. */
  fence(fence: NativeFence, fd: number): void {
    this.#last = { fence, number: this.fds.length };
    this.fd(fd);
  }

  /** The number of the file descriptor that the message has for a duplicate of a fence, if it has one. */
  numberOf(fence: NativeFence): number | undefined {
    return this.#last?.fence.isDuplicateOf(fence) && !fence.poll() ? this.#last.number : undefined;
  }

  /** Calls `write`, and puts the size of the written bytes before them. After an error the bytes are gone. */
  sized(write: () => void): void {
    const at = this.#size, count = this.fds.length;
    try {
      this.u32(0);
      write();
      this.#view.setUint32(at, this.#size - at - 4, true);
    } catch (error) {
      this.cut(at, count);
      throw error;
    }
  }

  /** Removes the bytes behind a size, and closes the file descriptors behind a count. */
  cut(size: number, count: number): void {
    this.#size = size;
    this.#last = undefined;
    this.fds.splice(count).forEach(closeDescriptor);
  }

  /** Makes room for more bytes. Returns their offset. */
  #grow(size: number): number {
    const at = this.#size;
    this.#size += size;
    if (this.#size <= this.#bytes.length) return at;
    const bigger = new Uint8Array(Math.max(this.#size, 2 * this.#bytes.length));
    bigger.set(this.#bytes.subarray(0, at));
    this.#bytes = bigger;
    this.#view = new DataView(bigger.buffer);
    return at;
  }
}
