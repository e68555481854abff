import type { GraphicBuffer } from "./graphic_buffer.ts";
import { FORMAT } from "../android_values.ts";

const BYTE = 0x80;

/** Sets every byte of a buffer to 128: in all YUV formats that is gray, of brightness 126 to 132 in any range. */
export function fillGray(buffer: GraphicBuffer): void {
  if (buffer.format !== FORMAT.YCBCR_420_888) buffer.lock().fill(BYTE);
  else {
    const { yBytes, cbBytes, crBytes } = buffer.lockYCbCr();
    for (const plane of [yBytes, cbBytes, crBytes]) plane.fill(BYTE);
  }
  buffer.unlock();
}
