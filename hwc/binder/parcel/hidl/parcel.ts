import type { Message } from "../../bus.ts";
import { failWith, STATUS } from "../../status.ts";
import { ParcelReader, readWhole } from "../reader.ts";
import { ParcelWriter } from "../writer.ts";

/** Bytes of a binder_buffer_object and of a binder_fd_array_object. */
export const BUFFER_BYTES = 40, FD_ARRAY_BYTES = 32;
/** `BINDER_TYPE_PTR`, and its flag for a buffer that another one points to. */
const TYPE_PTR = 0x7074_2a85, HAS_PARENT = 1;
/** Byte offset of the file descriptors in a native_handle_t. */
const HANDLE_HEAD = 12;

/** A buffer that points to another: its index among the objects, and the pointer's offset in it. */
export interface Parent {
  readonly index: number;
  readonly offset: number;
}

/** A native_handle_t: descriptors and ints. */
export interface NativeHandle {
  readonly fds: readonly number[];
  readonly ints: readonly number[];
}

/** A parcel of HIDL that is written: numbers, and buffers that point to each other. */
export class HidlWriter extends ParcelWriter {
  /** The words in front of the arguments of a call: the interface that defines the method, in bytes. */
  token(descriptor: string): void {
    this.raw(cString(descriptor));
  }

  /** A buffer; its index. A child that is empty takes its place without being an object. */
  buffer(bytes: Uint8Array, parent?: Parent): number {
    if (parent && bytes.length === 0) {
      this.#emptyBuffer(parent);
      return -1;
    }
    const to = parent && { parent: parent.index, parentOffset: parent.offset };
    return this.item(BUFFER_BYTES, (at) => ({ at, kind: "buffer", bytes, ...to }));
  }

  /** A handle: its size, itself, and its descriptors, which are the message's. `null` is a size of 0. */
  handle(handle: NativeHandle | null, parent?: Parent): void {
    if (!handle) return this.i64(0n);
    const { fds, ints } = handle, words = Int32Array.of(HANDLE_HEAD, fds.length, ints.length, ...fds, ...ints);
    this.i64(BigInt(words.byteLength));
    const index = this.buffer(new Uint8Array(words.buffer), parent);
    this.item(FD_ARRAY_BYTES, (at) => ({ at, kind: "fdArray", fds, parent: index, parentOffset: HANDLE_HEAD }));
  }

  #emptyBuffer({ index, offset }: Parent): void {
    this.i32(TYPE_PTR);
    this.i32(HAS_PARENT);
    this.i64(0n);
    this.i64(0n);
    this.i64(BigInt(index));
    this.i64(BigInt(offset));
  }
}

/** A parcel of HIDL that is read. */
export class HidlReader extends ParcelReader {
  /** Reads the words in front of a call's arguments. BAD_TYPE for another interface. */
  token(descriptor: string): void {
    const wanted = cString(descriptor), found = this.left < wanted.length ? undefined : this.raw(wanted.length);
    if (found?.every((byte, at) => byte === wanted[at])) return;
    failWith(STATUS.BAD_TYPE, `the call is not for ${descriptor}`);
  }

  /** The next buffer, which must have this size at least, and its index. */
  buffer(size: number, parent?: Parent): { readonly bytes: Uint8Array; readonly index: number } {
    const item = this.take(BUFFER_BYTES);
    if (item?.kind !== "buffer") failWith(STATUS.BAD_TYPE, `there is ${item?.kind ?? "nothing"} in a buffer's place`);
    if (item.bytes.length < size) {
      failWith(STATUS.BAD_VALUE, `a buffer has ${item.bytes.length} bytes, and ${size} are wanted`);
    }
    if (item.parent !== parent?.index || parent && item.parentOffset !== parent.offset) {
      failWith(STATUS.BAD_VALUE, "a buffer is not where it is pointed to");
    }
    return { bytes: item.bytes, index: this.items.indexOf(item) };
  }

  /** The buffer of a list without elements, which may be no object. */
  emptyBuffer(): void {
    this.take(BUFFER_BYTES);
  }

  /** A handle, whose descriptors are the caller's. */
  handle(parent?: Parent): NativeHandle | null {
    const size = this.i64();
    if (size === 0n) return null;
    const { bytes } = this.buffer(HANDLE_HEAD, parent), array = this.take(FD_ARRAY_BYTES);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const [version, fds, ints] = [0, 4, 8].map((at) => view.getInt32(at, true));
    if (version !== HANDLE_HEAD || fds < 0 || ints < 0 || HANDLE_HEAD + 4 * (fds + ints) > bytes.length) {
      failWith(STATUS.BAD_VALUE, `there is no handle of ${fds} descriptors and ${ints} ints`);
    }
    if (array?.kind !== "fdArray" || array.fds.length !== fds) {
      failWith(STATUS.BAD_TYPE, "a handle's descriptors are missing");
    }
    const first = HANDLE_HEAD + 4 * fds;
    return {
      fds: array.fds,
      ints: Array.from({ length: ints }, (_, index) => view.getInt32(first + 4 * index, true)),
    };
  }
}

/** Characters of eight bits, with a zero behind them. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${text}\0`);
}

/** Reads a message, and gives back what is left of it; all of it if that fails. */
export function reading<Value>(message: Message, read: (from: HidlReader) => Value): Value {
  return readWhole(new HidlReader(message), read);
}
