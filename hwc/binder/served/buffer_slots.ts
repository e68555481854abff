import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { refuse } from "../../core/refusal.ts";
import { importedBuffer } from "../../remote/server/belongings.ts";
import { ERROR } from "../../types.ts";

/** A native_handle_t as it came: descriptors, which are the holder's, and ints. */
export interface Handle {
  readonly fds: readonly number[];
  readonly ints: readonly number[];
}

/** Closes the descriptors of a handle. */
export function closeHandle(handle: Handle | null | undefined): void {
  for (const fd of handle?.fds ?? []) closeDescriptor(fd);
}

/** Slots of a place whose count nobody said. */
const DEFAULT_COUNT = 64;

/** The buffers of one place that shows them, such as a layer, by the client's slots. */
export class BufferSlots {
  readonly #buffers = new Map<number, GraphicBuffer>();
  #count: number;

  /** Has so many slots. */
  constructor(count: number = DEFAULT_COUNT) {
    this.#count = count;
  }

  /** The client will use so many slots. */
  resize(count: number): void {
    this.#count = count;
    this.clear([...this.#buffers.keys()].filter((slot) => slot >= count));
  }

  /**
   * The buffer that is meant, which stays this one's: the slot's new one, or without a handle the one that is there.
   * A handle with nothing in it is no buffer. Consumes the handle. Refuses with BAD_PARAMETER.
   */
  use(slot: number, handle: Handle | null): GraphicBuffer | null {
    try {
      if (slot < 0 || slot >= this.#count) refuse(ERROR.BAD_PARAMETER, `there is no slot ${slot} of ${this.#count}`);
      if (!handle) return this.#buffers.get(slot) ?? refuse(ERROR.BAD_PARAMETER, `there is no buffer in slot ${slot}`);
      if (handle.fds.length + handle.ints.length === 0) return null;
      const buffer = importedHandle(handle);
      this.clear([slot]);
      this.#buffers.set(slot, buffer);
      return buffer;
    } finally {
      closeHandle(handle);
    }
  }

  /** Gives back the buffers of slots. */
  clear(slots: readonly number[]): void {
    for (const slot of slots) {
      this.#buffers.get(slot)?.close();
      this.#buffers.delete(slot);
    }
  }

  /** Gives back all of them. */
  close(): void {
    this.clear([...this.#buffers.keys()]);
  }
}

/** Another owner of the buffer of a handle, whose descriptors stay the holder's. Refuses with BAD_PARAMETER. */
export function importedHandle({ fds, ints }: Handle): GraphicBuffer {
  if (fds.length !== 1) {
    refuse(
      ERROR.BAD_PARAMETER,
      `the buffer's handle has ${fds.length} descriptors; only Pumice's, with one, are known`,
    );
  }
  return importedBuffer(fds[0], ints);
}
