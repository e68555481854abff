import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import type { BinderItem, Message } from "../bus.ts";
import { failWith, STATUS } from "../status.ts";
import { OBJECT_BYTES } from "./writer.ts";

/**
 * Reads a parcel and owns what came in it: descriptors and objects that nobody
 * has taken are given back by {@linkcode ParcelReader.close}. Throws a
 * `BinderStatusError` for what is cut or has another form.
 */
export class ParcelReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #items: readonly BinderItem[];
  readonly #taken = new Set<BinderItem>();
  #at = 0;
  #end: number;

  /** At the beginning of a message. */
  constructor({ bytes, items }: Message) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#items = items;
    this.#end = bytes.length;
  }

  /** Byte offset of the next value to read. */
  get at(): number {
    return this.#at;
  }

  /** Bytes that are left, of the parcelable that is being read or of all. */
  get left(): number {
    return this.#end - this.#at;
  }

  /** The objects of the message. */
  get items(): readonly BinderItem[] {
    return this.#items;
  }

  /** A word. */
  i32(): number {
    return this.#view.getInt32(this.#next(4), true);
  }

  /** Skips the next word if it is this one. */
  skipIf(word: number): boolean {
    const at = this.#at;
    if (this.i32() === word) return true;
    this.#at = at;
    return false;
  }

  /** Skips words that are these, from an index on; returns the index of the first that is another. */
  skipWords(words: readonly number[], index: number): number {
    let at = this.#at;
    while (index < words.length && at + 4 <= this.#end && this.#view.getInt32(at, true) === words[index]) {
      at += 4;
      index++;
    }
    this.#at = at;
    return index;
  }

  /** Eight bytes. */
  i64(): bigint {
    return this.#view.getBigInt64(this.#next(8), true);
  }

  /** Four bytes of a fraction. */
  f32(): number {
    return this.#view.getFloat32(this.#next(4), true);
  }

  /** Eight bytes of a fraction. */
  f64(): number {
    return this.#view.getFloat64(this.#next(8), true);
  }

  /** A copy of bytes, and past the zeros behind them. */
  raw(count: number): Uint8Array<ArrayBuffer> {
    const at = this.#next(count);
    return this.#bytes.slice(at, at + count);
  }

  /** A count of elements that take so many bytes each at least; `undefined` for null. BAD_VALUE for one that cannot be. */
  count(least: number): number | undefined {
    const count = this.i32();
    if (count === -1) return undefined;
    if (count < 0 || count * least > this.left) failWith(STATUS.BAD_VALUE, `there cannot be ${count} elements here`);
    return count;
  }

  /** Runs a reading of so many bytes, counted from an offset before; what the reading leaves is skipped. */
  within<Value>(start: number, size: number, read: () => Value): Value {
    const outer = this.#end, end = start + size;
    if (end < this.#at || end > outer) failWith(STATUS.BAD_VALUE, `a parcelable of ${size} bytes does not fit here`);
    this.#end = end;
    const value = read();
    this.#end = outer;
    this.#at = end;
    return value;
  }

  /** An object; `undefined` for null. Whoever takes a remote one releases it. */
  object(): Extract<BinderItem, { kind: "local" | "remote" }> | undefined {
    const item = this.#item(this.#next(OBJECT_BYTES));
    if (!item) return undefined;
    if (item.kind !== "local" && item.kind !== "remote") return wrong("an object", item);
    this.#taken.add(item);
    return item;
  }

  /** A file descriptor, which the caller owns now. */
  fd(): number {
    const item = this.#item(this.#next(OBJECT_BYTES));
    if (item?.kind !== "fd") return wrong("a file descriptor", item);
    if (this.#taken.has(item)) failWith(STATUS.BAD_TYPE, "a file descriptor is read twice");
    this.#taken.add(item);
    return item.fd;
  }

  /** An object of another kind at the next place, which counts as taken. */
  take(bytes: number): BinderItem | undefined {
    const item = this.#item(this.#next(bytes));
    if (item) this.#taken.add(item);
    return item;
  }

  /** Gives back what nobody has taken. */
  close(): void {
    for (const item of this.#items) if (!this.#taken.has(item)) giveBack(item);
  }

  /** Gives back all of it: the reading failed, and what it took has no owner. */
  drop(): void {
    this.#items.forEach(giveBack);
  }

  #item(at: number): BinderItem | undefined {
    return this.#items.find((item) => item.at === at);
  }

  #next(count: number): number {
    const at = this.#at, end = at + (count + 3 & ~3);
    if (count < 0 || end > this.#end) failWith(STATUS.BAD_VALUE, `the parcel ends before ${count} bytes at ${at}`);
    this.#at = end;
    return at;
  }
}

/** Closes and releases what an item brought. */
export function giveBack(item: BinderItem): void {
  if (item.kind === "fd") closeDescriptor(item.fd);
  else if (item.kind === "fdArray") { for (const fd of item.fds) closeDescriptor(fd); }
  else if (item.kind === "remote") item.object.release();
}

function wrong(wanted: string, item: BinderItem | undefined): never {
  failWith(STATUS.BAD_TYPE, `there is ${item ? `"${item.kind}"` : "nothing"} in the place of ${wanted}`);
}

/** Reads a message, and gives back what is left of it; all of it if that fails. */
export function readWhole<Reader extends ParcelReader, Value>(from: Reader, read: (from: Reader) => Value): Value {
  try {
    const value = read(from);
    from.close();
    return value;
  } catch (error) {
    from.drop();
    throw error;
  }
}
