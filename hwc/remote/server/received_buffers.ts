import { closeDescriptor, isSealedAgainstShrinking, sealAgainstShrinking } from "../../../ffi/file/file_descriptor.ts";
import { isDmaBuf } from "../../../wsi/buffer/dma_buf.ts";
import { importBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { HANDLE_INTS } from "../../../wsi/buffer/native_handle.ts";
import { WsiError } from "../../../wsi/error.ts";
import { refuse } from "../../core/refusal.ts";
import { ERROR } from "../../types.ts";
import type { NamedBuffers, Reader } from "../wire/reader.ts";
import { MOST_SLOTS } from "../wire/wire.ts";

/** The buffers that a client has sent, by their slots. */
export class ReceivedBuffers implements NamedBuffers {
  readonly #slots = new Map<number, GraphicBuffer>();

  /** The buffer that is meant, which stays this one's. Refuses one that cannot be used. */
  read(from: Reader): GraphicBuffer {
    const slot = from.u32();
    if (from.u8() === 0) {
      return this.#slots.get(slot) ?? refuse(ERROR.BAD_PARAMETER, `there is no buffer in slot ${slot}; send it again`);
    }
    const ints = Array.from({ length: HANDLE_INTS }, () => from.i32()), fd = from.fd();
    try {
      if (slot >= MOST_SLOTS) refuse(ERROR.BAD_PARAMETER, `there is no slot ${slot}; there are ${MOST_SLOTS} slots`);
      const buffer = imported(fd, ints);
      this.#slots.get(slot)?.close();
      this.#slots.set(slot, buffer);
      return buffer;
    } finally {
      closeDescriptor(fd);
    }
  }

  /** The client has closed these. */
  clear(slots: readonly number[]): void {
    for (const slot of slots) {
      this.#slots.get(slot)?.close();
      this.#slots.delete(slot);
    }
  }

  /** The client is gone. */
  close(): void {
    this.clear([...this.#slots.keys()]);
  }
}

/** A file that becomes smaller while it is read would end this process. */
function imported(fd: number, ints: readonly number[]): GraphicBuffer {
  if (!isSealedAgainstShrinking(fd) && !sealAgainstShrinking(fd) && !isDmaBuf(fd)) {
    refuse(ERROR.BAD_PARAMETER, "the buffer's file could become smaller while it is shown; give a memfd or a dma-buf");
  }
  try {
    return importBuffer(fd, ints);
  } catch (error) {
    if (!(error instanceof WsiError)) throw error;
    refuse(error.code.startsWith("out-of") ? ERROR.NO_RESOURCES : ERROR.BAD_PARAMETER, error.message);
  }
}
