import { closeDescriptor, duplicate } from "../../../ffi/file/file_descriptor.ts";
import type { BinderItem, LocalObject, Message, RemoteObject } from "../bus.ts";
import type { Device } from "./device.ts";
import { BUFFER, FD_ARRAY, FLAT, HAS_PARENT, OBJECT, TRANSACTION } from "./uapi.ts";

/** Finds objects by their numbers. */
export interface Objects {
  /** The object of this process; `undefined` if there is none. */
  local(id: bigint): LocalObject | undefined;
  /** The object of another process, held once more. */
  remote(handle: number): RemoteObject;
}

/** A transaction that came in, of `struct binder_transaction_data`. */
export class Incoming {
  readonly target: bigint;
  readonly code: number;
  readonly flags: number;
  readonly callerPid: number;
  readonly callerUid: number;
  /** Address of the data, by which its memory is given back. */
  readonly buffer: bigint;
  /** Bytes of the data. */
  readonly size: number;
  readonly #device: Device;
  readonly #count: number;
  readonly #offsets: bigint;

  /** Reads the structure at an offset of what the driver returned. */
  constructor(device: Device, view: DataView, at: number) {
    const quad = (offset: number) => view.getBigUint64(at + offset, true);
    this.#device = device;
    this.target = quad(TRANSACTION.target);
    this.code = view.getUint32(at + TRANSACTION.code, true);
    this.flags = view.getUint32(at + TRANSACTION.flags, true);
    this.callerPid = view.getInt32(at + TRANSACTION.senderPid, true);
    this.callerUid = view.getUint32(at + TRANSACTION.senderUid, true);
    this.size = Number(quad(TRANSACTION.dataSize));
    this.#count = Number(quad(TRANSACTION.offsetsSize) / 8n);
    this.buffer = quad(TRANSACTION.buffer);
    this.#offsets = quad(TRANSACTION.offsets);
  }

  /** The data as a status, which a reply with its flag is. */
  get status(): number {
    return this.size < 4 ? 0 : this.#device.view.getInt32(this.#place(this.buffer), true);
  }

  /** Copies the message out. Its file descriptors and references are the receiver's then. */
  read(objects: Objects): Message {
    const reader = new ItemReader(this.#device, this.#place(this.buffer), objects), { view } = this.#device;
    const offsets = this.#place(this.#offsets);
    for (let index = 0; index < this.#count; index++) reader.read(Number(view.getBigUint64(offsets + 8 * index, true)));
    return { bytes: bytesAt(view, this.#place(this.buffer), this.size), items: reader.items };
  }

  #place(address: bigint): number {
    return Number(address - this.#device.address);
  }
}

/** Reads objects out of the memory that messages come in. */
class ItemReader {
  readonly items: BinderItem[] = [];
  readonly #device: Device;
  readonly #data: number;
  readonly #objects: Objects;
  /** The buffers among the message's objects: the place of the bytes of each, and its index among the items. */
  readonly #buffers: { readonly place: number; readonly index: number }[] = [];

  constructor(device: Device, data: number, objects: Objects) {
    this.#device = device;
    this.#data = data;
    this.#objects = objects;
  }

  read(at: number): void {
    const { view } = this.#device, from = this.#data + at, type = view.getUint32(from, true);
    const place = type === OBJECT.PTR ? this.#place(from + BUFFER.buffer) : 0;
    this.#buffers.push({ place, index: this.items.length });
    const item = this.#item(type, at, from);
    if (item) this.items.push(item);
  }

  #item(type: number, at: number, from: number): BinderItem | undefined {
    const { view } = this.#device;
    switch (type) {
      case OBJECT.BINDER: {
        const object = this.#objects.local(view.getBigUint64(from + FLAT.binder, true));
        return object && { at, kind: "local", object };
      }
      case OBJECT.HANDLE:
        return { at, kind: "remote", object: this.#objects.remote(view.getUint32(from + FLAT.binder, true)) };
      case OBJECT.FD:
        return { at, kind: "fd", fd: view.getInt32(from + FLAT.binder, true) };
      case OBJECT.PTR:
        return this.#buffer(at, from);
      case OBJECT.FDA:
        return this.#fdArray(at, from);
    }
    return undefined; // weak references, which nobody sends
  }

  #buffer(at: number, from: number): BinderItem {
    const { view } = this.#device, length = Number(view.getBigUint64(from + BUFFER.length, true));
    const bytes = bytesAt(view, this.#place(from + BUFFER.buffer), length);
    if ((view.getUint32(from + BUFFER.flags, true) & HAS_PARENT) === 0) return { at, kind: "buffer", bytes };
    const { index } = this.#parent(from + BUFFER.parent);
    return { at, kind: "buffer", bytes, parent: index, parentOffset: this.#number(from + BUFFER.parentOffset) };
  }

  /** The kernel closes the descriptors of an array with the message: the receiver gets others for the same files. */
  #fdArray(at: number, from: number): BinderItem {
    const { view } = this.#device, { index, place } = this.#parent(from + FD_ARRAY.parent);
    const parentOffset = this.#number(from + FD_ARRAY.parentOffset), count = this.#number(from + FD_ARRAY.count);
    const fds = Array.from(
      { length: count },
      (_, each) => duplicate(view.getInt32(place + parentOffset + 4 * each, true)),
    );
    return { at, kind: "fdArray", fds, parent: index, parentOffset };
  }

  #parent(at: number): { readonly place: number; readonly index: number } {
    return this.#buffers[this.#number(at)];
  }

  #number(at: number): number {
    return Number(this.#device.view.getBigUint64(at, true));
  }

  #place(at: number): number {
    return Number(this.#device.view.getBigUint64(at, true) - this.#device.address);
  }
}

/** Gives up what a message brought that nobody took. */
export function discard({ items }: Message): void {
  for (const item of items) {
    if (item.kind === "fd") closeDescriptor(item.fd);
    else if (item.kind === "fdArray") item.fds.forEach(closeDescriptor);
    else if (item.kind === "remote") item.object.release();
  }
}

function bytesAt(view: DataView, place: number, size: number): Uint8Array {
  return new Uint8Array(view.buffer as ArrayBuffer, place, size).slice();
}
