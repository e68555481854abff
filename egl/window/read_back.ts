import type { GraphicBuffer } from "../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../wsi/buffer/usage.ts";
import type { NativeBlock } from "../../ffi/block.ts";
import type { DriverGl } from "./driver_gl.ts";
import { type Packing, packingOf } from "./packing.ts";
import { type PixelAbilities, withPackState } from "./pixel_state.ts";

/** Where pixels are read to that cannot go to the buffer as they come. */
export interface Staging {
  /** Memory of at least so many bytes. */
  block(size: number): NativeBlock;
}

/** The part of the surface that is read, whose rows are counted from the bottom. */
interface Part {
  readonly width: number;
  readonly height: number;
  /** The first row, as GL counts. */
  readonly bottom: number;
}

/**
 * Copies what is drawn on the current surface, of so many rows, to a gralloc
 * buffer, top row first. It waits for the drawing. One copy where the context
 * reads rows from the top, else two.
 */
export function readInto(
  gl: DriverGl,
  can: PixelAbilities,
  staging: Staging,
  { buffer, width, height }: { buffer: GraphicBuffer; width: number; height: number },
): void {
  const rows = Math.min(height, buffer.height);
  const part = { width: Math.min(width, buffer.width), height: rows, bottom: height - rows };
  const packing = packingOf(gl, can, buffer.format), bytes = buffer.lock(USAGE.CPU_WRITE_OFTEN);
  try {
    const { stride, memory: { address } } = buffer, direct = can.reverse && can.pack && !packing.convert;
    if (direct) return read(gl, can, packing, part, { address, rowLength: stride });
    const pitch = part.width * packing.bytes, block = staging.block(pitch * rows);
    read(gl, can, packing, part, { address: block.address, rowLength: 0 });
    for (let row = 0; row < rows; row++) {
      const from = can.reverse ? row : rows - 1 - row, line = block.bytes.subarray(from * pitch, (from + 1) * pitch);
      bytes.set(packing.convert?.(line) ?? line, row * buffer.rowPitch);
    }
  } finally {
    buffer.unlock();
    buffer.copies++;
  }
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
