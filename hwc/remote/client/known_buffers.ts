import { closeDescriptor, duplicate } from "../../../ffi/file/file_descriptor.ts";
import { exportInts } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../../../wsi/buffer/known_buffers.ts";
import { noDescriptor } from "../../../wsi/fence/descriptor.ts";
import { refuse } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";
import { MOST_SLOTS } from "../wire/wire.ts";
import type { BufferNames, Writer } from "../wire/writer.ts";

/** A buffer that the server has. */
interface Slot {
  readonly number: number;
  /** The buffer's number; the handle of a closed buffer may be reused. */
  readonly id: bigint;
  readonly handle: bigint;
}

/**
 * The buffers that the server has, by their slots: a buffer goes over the wire
 * once. When a buffer is closed here, its slot must be cleared.
 */
export class KnownBuffers implements BufferNames {
  readonly #slots = new Map<bigint, Slot>();
  #free: number[] = [];
  #unused = 0;

  /** Writes a buffer's slot, and the buffer if the server does not have it. Refuses with BAD_PARAMETER what cannot be sent. */
  write(to: Writer, buffer: GraphicBuffer): void {
    if (buffer.isClosed) refuse(ERROR.BAD_PARAMETER, "the buffer is closed; keep it open until it was handed over");
    const known = this.#slots.get(buffer.id);
    to.u32(known?.number ?? this.#next);
    to.u8(known ? 0 : 1);
    if (!known) this.#send(to, buffer);
  }

  /** The server could not take some of those that were sent since a count. */
  forget(slots: ReadonlySet<number>): void {
    for (const [id, { number }] of this.#slots) if (slots.has(number)) this.#drop(id, number);
  }

  /** Slots whose buffers are closed by now: the server is to clear them. */
  takeClosed(): number[] {
    const closed: number[] = [];
    for (const [key, { number, id, handle }] of this.#slots) {
      if (bufferOfHandle(handle)?.id === id) continue;
      this.#drop(key, number);
      closed.push(number);
    }
    return closed;
  }

  get #next(): number {
    return this.#free.at(-1) ?? this.#unused;
  }

  #send(to: Writer, buffer: GraphicBuffer): void {
    const { memory: { fd }, id, handle } = buffer, number = this.#next;
    if (number >= MOST_SLOTS) refuse(ERROR.NO_RESOURCES, `the server has ${MOST_SLOTS} buffers already; close some`);
    if (fd < 0) {
      refuse(ERROR.BAD_PARAMETER, `buffer ${id} has no file, so only its own process knows it; allocate another kind`);
    }
    const copy = duplicate(fd);
    if (copy < 0) throw noDescriptor(`buffer ${id}`);
    try {
      for (const int of exportInts(buffer)) to.i32(int);
    } catch (error) {
      closeDescriptor(copy);
      throw error;
    }
    to.fd(copy);
    if (this.#free.length > 0) this.#free.pop();
    else this.#unused++;
    this.#slots.set(id, { number, id, handle });
    to.newSlots.add(number);
  }

  #drop(key: bigint, number: number): void {
    this.#slots.delete(key);
    this.#free.push(number);
  }
}
