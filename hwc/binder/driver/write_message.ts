import { type MemoryReserve, NativeBlock } from "../../../ffi/block.ts";
import type { BinderItem, LocalObject, Message, RemoteObject } from "../bus.ts";
import { failWith, STATUS } from "../status.ts";
import { BC, BUFFER, FD_ARRAY, FLAG, FLAT, HAS_PARENT, OBJECT, OBJECT_FLAGS, TRANSACTION } from "./uapi.ts";

/** The numbers of objects, and memory that was used before, if there is any. */
export interface Numbers {
  readonly memory?: MemoryReserve;
  /** The number of an object of this process. */
  local(object: LocalObject): bigint;
  /** The handle of an object of another process. Throws for one that this device does not know. */
  remote(object: RemoteObject): number;
}

/** A transaction in native memory, as a command for the driver. */
export interface Transaction {
  readonly block: NativeBlock;
  /** Bytes of the command at the block's begin. */
  readonly length: number;
}

/** The command and its transaction fill these bytes; the data is behind. */
const DATA = 80, LENGTH = 4 + TRANSACTION.size;

/** Writes a call of a handle. Throws a {@linkcode BinderStatusError} BAD_VALUE for objects in wrong places. */
export function writeCall(
  handle: number,
  code: number,
  flags: number,
  message: Message,
  numbers: Numbers,
): Transaction {
  const written = writeMessage(BC.TRANSACTION_SG, flags | FLAG.ACCEPT_FDS, message, numbers), { view } = written.block;
  view.setUint32(4 + TRANSACTION.target, handle, true);
  view.setUint32(4 + TRANSACTION.code, code >>> 0, true);
  return written;
}

/** Writes a reply. */
export function writeReply(message: Message, numbers: Numbers): Transaction {
  return writeMessage(BC.REPLY_SG, 0, message, numbers);
}

/** Writes a reply that is a status alone. */
export function writeStatus(status: number, numbers: Numbers): Transaction {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, status, true);
  return writeMessage(BC.REPLY_SG, FLAG.STATUS_CODE, { bytes, items: [] }, numbers);
}

function writeMessage(command: number, flags: number, { bytes, items }: Message, numbers: Numbers): Transaction {
  checkPlaces(bytes.length, items);
  const offsets = DATA + align8(bytes.length), buffers = offsets + 8 * items.length;
  const block = new NativeBlock(roomFor(buffers + buffersSize(items)), numbers.memory), { view } = block;
  try {
    block.bytes.set(bytes, DATA);
    new ItemWriter(block, buffers, numbers).write(items, offsets);
  } catch (error) {
    block.close();
    throw error;
  }
  view.setUint32(0, command, true);
  view.setUint32(4 + TRANSACTION.flags, flags, true);
  view.setBigUint64(4 + TRANSACTION.dataSize, BigInt(bytes.length), true);
  view.setBigUint64(4 + TRANSACTION.offsetsSize, BigInt(8 * items.length), true);
  view.setBigUint64(4 + TRANSACTION.buffer, block.address + BigInt(DATA), true);
  view.setBigUint64(4 + TRANSACTION.offsets, block.address + BigInt(offsets), true);
  view.setBigUint64(4 + TRANSACTION.buffersSize, BigInt(buffersSize(items)), true);
  return { block, length: LENGTH };
}

/** Messages take few sizes of memory, so that the memory of one serves the next: to map it anew takes longer than a call. */
function roomFor(size: number): number {
  return ROOMS.find((room) => size <= room) ?? align8(size);
}

const ROOMS = [1 << 12, 1 << 14, 1 << 16];

/** Writes the objects of a message where its data has room for them. */
class ItemWriter {
  readonly #block: NativeBlock;
  readonly #numbers: Numbers;
  /** The place of each buffer's bytes; 0 for other items. */
  readonly #places: number[] = [];
  #next: number;

  constructor(block: NativeBlock, buffers: number, numbers: Numbers) {
    this.#block = block;
    this.#next = buffers;
    this.#numbers = numbers;
  }

  write(items: readonly BinderItem[], offsets: number): void {
    items.forEach((item, index) => {
      this.#block.view.setBigUint64(offsets + 8 * index, BigInt(item.at), true);
      this.#places.push(0);
      this.#writeItem(item, DATA + item.at, index);
    });
  }

  #writeItem(item: BinderItem, at: number, index: number): void {
    switch (item.kind) {
      case "local":
        return this.#writeLocal(at, this.#numbers.local(item.object));
      case "remote":
        return this.#writeFlat(OBJECT.HANDLE, at, BigInt(this.#numbers.remote(item.object)));
      case "fd":
        return this.#writeFlat(OBJECT.FD, at, BigInt(item.fd >>> 0));
      case "buffer":
        return this.#writeBuffer(item, at, index);
      case "fdArray":
        return this.#writeFdArray(item, at);
    }
  }

  #writeFlat(type: number, at: number, value: bigint): void {
    this.#block.view.setUint32(at + FLAT.type, type, true);
    this.#block.view.setBigUint64(at + FLAT.binder, value, true);
    this.#block.view.setBigUint64(at + FLAT.cookie, 0n, true);
  }

  #writeLocal(at: number, id: bigint): void {
    const { view } = this.#block;
    view.setUint32(at + FLAT.flags, view.getUint32(at + FLAT.flags, true) | OBJECT_FLAGS, true);
    this.#writeFlat(OBJECT.BINDER, at, id);
    view.setBigUint64(at + FLAT.cookie, id, true);
  }

  #writeBuffer(item: BinderItem & { kind: "buffer" }, at: number, index: number): void {
    const { view } = this.#block, place = this.#places[index] = this.#next;
    this.#block.bytes.set(item.bytes, place);
    this.#next += align8(item.bytes.length);
    view.setUint32(at + BUFFER.type, OBJECT.PTR, true);
    view.setUint32(at + BUFFER.flags, item.parent === undefined ? 0 : HAS_PARENT, true);
    view.setBigUint64(at + BUFFER.buffer, this.#block.address + BigInt(place), true);
    view.setBigUint64(at + BUFFER.length, BigInt(item.bytes.length), true);
    view.setBigUint64(at + BUFFER.parent, BigInt(item.parent ?? 0), true);
    view.setBigUint64(at + BUFFER.parentOffset, BigInt(item.parentOffset ?? 0), true);
  }

  /** The numbers of the descriptors stand in the parent buffer, where the kernel replaces them. */
  #writeFdArray({ fds, parent, parentOffset }: BinderItem & { kind: "fdArray" }, at: number): void {
    const { view } = this.#block, place = this.#places[parent];
    if (!place) {
      failWith(STATUS.BAD_VALUE, `an array of descriptors lies in item ${parent}, which is no buffer before it`);
    }
    fds.forEach((fd, index) => view.setInt32(place + parentOffset + 4 * index, fd, true));
    view.setUint32(at + FD_ARRAY.type, OBJECT.FDA, true);
    view.setBigUint64(at + FD_ARRAY.count, BigInt(fds.length), true);
    view.setBigUint64(at + FD_ARRAY.parent, BigInt(parent), true);
    view.setBigUint64(at + FD_ARRAY.parentOffset, BigInt(parentOffset), true);
  }
}

const SIZES = { local: FLAT.size, remote: FLAT.size, fd: FLAT.size, buffer: BUFFER.size, fdArray: FD_ARRAY.size };

/** The kernel wants objects in order, apart, at multiples of four. */
function checkPlaces(size: number, items: readonly BinderItem[]): void {
  let end = 0;
  for (const [index, item] of items.entries()) {
    const isRight = Number.isInteger(item.at) && item.at >= end && item.at % 4 === 0 &&
      item.at + SIZES[item.kind] <= size;
    if (!isRight) {
      failWith(STATUS.BAD_VALUE, `item ${index} of a message is at byte ${item.at} of ${size}, which cannot be`);
    }
    end = item.at + SIZES[item.kind];
    if (item.kind === "fdArray") checkArray(index, item, items[item.parent]);
  }
}

function checkArray(index: number, item: BinderItem & { kind: "fdArray" }, parent: BinderItem | undefined): void {
  const { parentOffset, fds } = item;
  const room = parent?.kind === "buffer" ? parent.bytes.length : -1;
  if (parentOffset >= 0 && parentOffset + 4 * fds.length <= room) return;
  failWith(STATUS.BAD_VALUE, `item ${index} of a message puts ${fds.length} descriptors where its buffer has no room`);
}

function buffersSize(items: readonly BinderItem[]): number {
  return items.reduce((sum, item) => sum + (item.kind === "buffer" ? align8(item.bytes.length) : 0), 0);
}

function align8(size: number): number {
  return (size + 7) & ~7;
}
