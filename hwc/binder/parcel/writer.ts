import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import type { BinderItem, LocalObject, Message, RemoteObject } from "../bus.ts";

/** Bytes of a flat_binder_object and of a binder_fd_object. */
export const OBJECT_BYTES = 24;
/** `BINDER_TYPE_BINDER`, of an object that is null. */
export const TYPE_BINDER = 0x7362_2a85;

/** Room at first: a frame of a few layers fits. */
const BEGIN = 1024;

/** A parcel that grows: numbers at multiples of four bytes, and the objects among them. */
export class ParcelWriter {
  #bytes = new Uint8Array(BEGIN);
  #view = new DataView(this.#bytes.buffer);
  #size = 0;
  readonly #items: BinderItem[] = [];

  /** Bytes so far: the offset of the next value. */
  get size(): number {
    return this.#size;
  }

  /** The objects so far; their number is the index of the next one. */
  get items(): readonly BinderItem[] {
    return this.#items;
  }

  /** A word, as two's complement. */
  i32(value: number): void {
    const at = this.#room(4);
    this.#view.setInt32(at, value, true);
  }

  /** Words of a list, from one index until another. */
  words(words: readonly number[], from: number, until: number): void {
    if (from === until) return;
    const at = this.#room(4 * (until - from));
    for (let index = from; index < until; index++) {
      if (words[index] !== 0) this.#view.setInt32(at + 4 * (index - from), words[index], true);
    }
  }

  /** Eight bytes, at a multiple of four. */
  i64(value: bigint): void {
    const at = this.#room(8);
    this.#view.setBigInt64(at, value, true);
  }

  /** Four bytes of a fraction. */
  f32(value: number): void {
    const at = this.#room(4);
    this.#view.setFloat32(at, value, true);
  }

  /** Eight bytes of a fraction. */
  f64(value: number): void {
    const at = this.#room(8);
    this.#view.setFloat64(at, value, true);
  }

  /** Bytes, with zeros behind them up to a multiple of four. */
  raw(bytes: Uint8Array): void {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** UTF-16 with a zero behind it. */
  utf16(text: string): void {
    const at = this.#room(2 * text.length + 2);
    for (let index = 0; index < text.length; index++) {
      this.#view.setUint16(at + 2 * index, text.charCodeAt(index), true);
    }
  }

  /** Zeros, to be filled later or by the bus. */
  zeros(count: number): number {
    return this.#room(count);
  }

  /** Writes a word that was left out. */
  patch(at: number, value: number): void {
    this.#view.setInt32(at, value, true);
  }

  /** An object, whose bytes are the bus's to write. */
  object(object: { local: LocalObject } | { remote: RemoteObject } | null): void {
    const at = this.#room(OBJECT_BYTES);
    if (object === null) this.patch(at, TYPE_BINDER);
    else if ("local" in object) this.#items.push({ at, kind: "local", object: object.local });
    else this.#items.push({ at, kind: "remote", object: object.remote });
  }

  /** A file descriptor, which is the message's from now on. */
  fd(fd: number): void {
    this.#items.push({ at: this.#room(OBJECT_BYTES), kind: "fd", fd });
  }

  /** An object of another kind, with zeros in its place. */
  item(bytes: number, make: (at: number) => BinderItem): number {
    return this.#items.push(make(this.#room(bytes))) - 1;
  }

  /** The finished message; the writer is not to be used any more. */
  message(): Message {
    return { bytes: this.#bytes.subarray(0, this.#size), items: this.#items };
  }

  /** Closes the descriptors in it, because it is not sent. */
  drop(): void {
    for (const item of this.#items) {
      if (item.kind === "fd") closeDescriptor(item.fd);
      else if (item.kind === "fdArray") item.fds.forEach(closeDescriptor);
    }
  }

  #room(count: number): number {
    const at = this.#size, end = at + (count + 3 & ~3);
    if (end > this.#bytes.length) this.#grow(end);
    this.#size = end;
    return at;
  }

  #grow(end: number): void {
    const bytes = new Uint8Array(Math.max(end, this.#bytes.length * 2));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}
