import type { GraphicBuffer } from "../../../../wsi/mod.ts";

/** The size that the video was recorded in. */
export const VIDEO = { width: 320, height: 180 };

/** 0 to 255 around 128. */
const SINE = Uint8Array.from({ length: 256 }, (_, at) => Math.round(128 + 127 * Math.sin(at / 128 * Math.PI)));

/** A frame of coloured clouds that drift, into planes of Y, Cb and Cr. */
export function paintVideo(buffer: GraphicBuffer, number: number): void {
  const { yBytes, cbBytes, crBytes, ystride, cstride, chromaStep } = buffer.lockYCbCr();
  const { width, height } = buffer;
  for (let y = 0; y < height; y++) {
    const row = SINE[(2 * y + number) & 255];
    for (let x = 0; x < width; x++) {
      const cloud = SINE[(x + row + 2 * number) & 255] + SINE[(3 * y - x + number) & 255];
      yBytes[y * ystride + x] = 40 + (cloud * 3 >> 3);
    }
  }
  for (let y = 0; y < height >> 1; y++) {
    for (let x = 0; x < width >> 1; x++) {
      const at = y * cstride + x * chromaStep;
      cbBytes[at] = 112 + (SINE[(x + 2 * number) & 255] >> 2);
      crBytes[at] = 84 + (SINE[(2 * y + 85 - number) & 255] >> 2);
    }
  }
  buffer.unlock();
}
