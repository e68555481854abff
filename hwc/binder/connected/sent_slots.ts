import { closeDescriptor, duplicate } from "../../../ffi/file/file_descriptor.ts";
import { exportInts } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { bufferOfHandle } from "../../../wsi/buffer/known_buffers.ts";
import { noDescriptor } from "../../../wsi/fence/descriptor.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";
import type { Handle } from "../served/buffer_slots.ts";

/** Slots of a place that shows buffers: as many as Android's queues have. */
export const SLOT_COUNT = 64;
/** The handle in the place of no buffer. */
const NOTHING: Handle = { fds: [], ints: [] };

/** A buffer by its slot, with its handle if the service does not have it. */
export interface Slotted {
  readonly slot: number;
  readonly handle: Handle | null;
}

interface Sent {
  readonly slot: number;
  readonly handle: bigint;
}

/** The buffers that a service has of one place that shows them, such as a layer. */
export class SentSlots {
  readonly #sent = new Map<bigint, Sent>();

  /** Names a buffer by its slot; the descriptors of its handle are the caller's. */
  use(method: string, buffer: GraphicBuffer | null): Slotted {
    if (!buffer) return { slot: 0, handle: NOTHING };
    if (buffer.isClosed) fail(method, "the buffer is closed; keep it open until it was handed over");
    const known = this.#sent.get(buffer.id);
    if (known) {
      this.#sent.delete(buffer.id);
      this.#sent.set(buffer.id, known);
      return { slot: known.slot, handle: null };
    }
    const handle = handleOf(method, buffer), slot = this.#free();
    this.#sent.set(buffer.id, { slot, handle: buffer.handle });
    return { slot, handle };
  }

  /** The service could not take what was sent last. */
  forget(slot: number): void {
    for (const [id, sent] of this.#sent) if (sent.slot === slot) this.#sent.delete(id);
  }

  /** Slots whose buffers are closed by now: the service is to clear them. */
  takeClosed(): number[] {
    const closed: number[] = [];
    for (const [id, { slot, handle }] of this.#sent) {
      if (bufferOfHandle(handle)?.id === id) continue;
      this.#sent.delete(id);
      closed.push(slot);
    }
    return closed;
  }

  /** A slot that is free, or that of the buffer that was not used for the longest time. */
  #free(): number {
    const used = new Set([...this.#sent.values()].map(({ slot }) => slot));
    for (let slot = 0; slot < SLOT_COUNT; slot++) if (!used.has(slot)) return slot;
    const [[oldest, { slot }]] = this.#sent;
    this.#sent.delete(oldest);
    return slot;
  }
}

/** A buffer's handle, with a descriptor of its own. */
export function handleOf(method: string, buffer: GraphicBuffer | null): Handle {
  if (!buffer) return NOTHING;
  const { memory: { fd }, id } = buffer;
  if (fd < 0) fail(method, `buffer ${id} has no file, so only its own process knows it; allocate another kind`);
  const ints = exportInts(buffer), copy = duplicate(fd);
  if (copy < 0) throw noDescriptor(`buffer ${id}`);
  return { fds: [copy], ints };
}

/** Closes the descriptors that a handle was sent with. */
export function closeSent(handle: Handle | null | undefined): void {
  for (const fd of handle?.fds ?? []) closeDescriptor(fd);
}

function fail(method: string, sentence: string): never {
  throw new HwcError(method, ERROR.BAD_PARAMETER, sentence);
}
