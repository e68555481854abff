import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { BadMessage } from "./wire.ts";

/** Finds buffers by the other side's names. */
export interface NamedBuffers {
  /** Reads the name of a buffer. */
  read(from: Reader): GraphicBuffer;
}

/** A message that came. Everything throws {@linkcode BadMessage} where there is not what should be there. */
export class Reader {
  /** The names of buffers; a client gets none. */
  readonly names: NamedBuffers | undefined;
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  /** -1 for those that were taken. */
  readonly #fds: number[];
  readonly #fences: NativeFence[] = [];
  /** All fences so far, by the numbers of their file descriptors. */
  readonly #known = new Map<number, NativeFence>();
  #at = 0;
  #end: number;

  /** Takes the file descriptors over. */
  constructor(bytes: Uint8Array, fds: readonly number[] = [], names?: NamedBuffers) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#fds = [...fds];
    this.#end = bytes.length;
    this.names = names;
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#end - this.#at;
  }

  /** uint8_t */
  u8(): number {
    return this.#view.getUint8(this.#skip(1));
  }

  /** uint32_t */
  u32(): number {
    return this.#view.getUint32(this.#skip(4), true);
  }

  /** int32_t */
  i32(): number {
    return this.#view.getInt32(this.#skip(4), true);
  }

  /** uint64_t */
  u64(): bigint {
    return this.#view.getBigUint64(this.#skip(8), true);
  }

  /** int64_t */
  i64(): bigint {
    return this.#view.getBigInt64(this.#skip(8), true);
  }

  /** double */
  f64(): number {
    return this.#view.getFloat64(this.#skip(8), true);
  }

  /** Returns a copy of a number of bytes. */
  raw(size: number): Uint8Array {
    const at = this.#skip(size);
    return this.#bytes.slice(at, at + size);
  }

  /** The number of following elements, of so many bytes each at least. The message must be long enough for them. */
  count(elementSize: number): number {
    const count = this.u32();
    if (count * elementSize <= this.left) return count;
    throw new BadMessage(`it announces ${count} elements of ${elementSize} bytes, and ${this.left} bytes follow`);
  }

  /** A file descriptor, which is the caller's from now on. */
  fd(): number {
    return this.#takeDescriptor(this.u32());
  }

  /** A fence, which is the reader's until {@linkcode Reader.takeFences}. Several fences may have one file descriptor. */
  fence(): NativeFence {
    const index = this.u32(), known = this.#known.get(index);
    const fence = known?.dup() ?? NativeFence.adopt(this.#takeDescriptor(index));
    if (!known) this.#known.set(index, fence);
    this.#fences.push(fence);
    return fence;
  }

  #takeDescriptor(index: number): number {
    const fd = this.#fds[index] ?? -1;
    if (fd < 0) throw new BadMessage(`it names file descriptor ${index}, which is missing or named twice`);
    this.#fds[index] = -1;
    return fd;
  }

  /** The fences that were read since the last time, which are the caller's from now on. */
  takeFences(): NativeFence[] {
    return this.#fences.splice(0);
  }

  /**
   * Reads a value that has its size before it, and continues behind the value
   * even after an error. `read` must use up all of its bytes.
   */
  sized<Value>(read: () => Value): Value {
    const size = this.count(1), outer = this.#end, end = this.#at + size;
    this.#end = end;
    try {
      const value = read();
      this.end();
      return value;
    } finally {
      this.#at = end;
      this.#end = outer;
    }
  }

  /** Skips the rest. */
  skip(): void {
    this.#at = this.#end;
  }

  /** Checks that nothing is left. */
  end(): void {
    if (this.left > 0) throw new BadMessage(`${this.left} bytes are left at its end`);
  }

  /** Closes the file descriptors and fences that nobody took. */
  close(): void {
    this.#fds.splice(0).forEach(closeDescriptor);
    for (const fence of this.takeFences()) fence.close();
  }

  #skip(size: number): number {
    if (size > this.left) throw new BadMessage(`it ends ${size - this.left} bytes too early`);
    const at = this.#at;
    this.#at += size;
    return at;
  }
}
