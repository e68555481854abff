import type { NativeBlock } from "../../ffi/block.ts";
import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import type { DriverGl } from "./driver_gl.ts";
import { type Packing, packingOf } from "./packing.ts";
import type { PixelAbilities } from "./pixel_abilities.ts";
import { withDefaultSource, withPackState } from "./pixel_state.ts";

/** Memory for pixels that cannot be read directly into the buffer. */
export interface Staging {
  /** Returns memory of at least a number of bytes. */
  block(size: number): NativeBlock;
}

/** Bytes that are no likely pixels. */
const MARK = Uint8Array.of(0x5a, 0xa7, 0x13, 0xe9);

/** The part of the surface to read, with rows from the bottom. */
interface Part {
  readonly width: number;
  readonly height: number;
  /** The first row, counted from the bottom. */
  readonly bottom: number;
}

/**
 * Copies a number of rows of the current surface to a gralloc buffer, top row first, after waiting for the drawing. One
 * copy if the context reads rows from the top, otherwise two. Returns `false` if it seems that nothing was read: a lost
 * context leaves memory as it is.
 */
export function readInto(
  gl: DriverGl,
  can: PixelAbilities,
  staging: Staging,
  { buffer, width, height }: { buffer: GraphicBuffer; width: number; height: number },
): boolean {
  const rows = Math.min(height, buffer.height);
  const part = { width: Math.min(width, buffer.width), height: rows, bottom: height - rows };
  const bytes = buffer.lock(USAGE.CPU_WRITE_OFTEN);
  try {
    return withDefaultSource(gl, can, () => {
      const packing = packingOf(gl, can, buffer.format);
      const { stride, memory: { address } } = buffer, isDirect = can.reverse && can.pack && !packing.convert;
      if (isDirect) return isWritten(bytes, () => read(gl, can, packing, part, { address, rowLength: stride }));
      const pitch = part.width * packing.bytes, block = staging.block(pitch * rows);
      const isRead = isWritten(
        block.bytes,
        () => read(gl, can, packing, part, { address: block.address, rowLength: 0 }),
      );
      for (let row = 0; row < rows; row++) {
        const from = can.reverse ? row : rows - 1 - row, line = block.bytes.subarray(from * pitch, (from + 1) * pitch);
        bytes.set(packing.convert?.(line) ?? line, row * buffer.rowPitch);
      }
      return isRead;
    });
  } finally {
    buffer.unlock();
    buffer.copies++;
  }
}

/** Whether `work` seems to write the first bytes: they differ from a mark afterwards. */
function isWritten(bytes: Uint8Array, work: () => void): boolean {
  const mark = MARK.subarray(0, Math.min(MARK.length, bytes.length));
  bytes.set(mark);
  work();
  return mark.some((byte, index) => bytes[index] !== byte);
}

function read(
  gl: DriverGl,
  can: PixelAbilities,
  { format, type }: Packing,
  { width, height, bottom }: Part,
  { address, rowLength }: { address: bigint; rowLength: number },
): void {
  const layout = { rowLength, reverse: can.reverse };
  withPackState(gl, can, layout, () => gl.call("glReadPixels", 0, bottom, width, height, format, type, address));
}
