import { COMPOSITION } from "../types.ts";
import type { Compositor } from "./compositor.ts";

/** Copies RGBA pixels without scaling, turning or blending, and fills with colours: for when pixels do not matter much. */
export const copyCompositor: Compositor = (target, layers, { background = { r: 0, g: 0, b: 0, a: 0 } }) => {
  const bytes = target.lock(), words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
  const pitch = target.rowPitch >> 2;
  words.fill(word(background));
  for (const { buffer, color, composition, displayFrame, sourceCrop } of layers) {
    const [left, top] = [Math.max(0, displayFrame.left), Math.max(0, displayFrame.top)];
    const right = Math.min(target.width, displayFrame.right), bottom = Math.min(target.height, displayFrame.bottom);
    if (composition === COMPOSITION.SOLID_COLOR || !buffer) {
      for (let y = top; y < bottom; y++) words.fill(word(color ?? background), y * pitch + left, y * pitch + right);
      continue;
    }
    const [x0, y0] = [Math.floor(sourceCrop.left) - displayFrame.left, Math.floor(sourceCrop.top) - displayFrame.top];
    const source = buffer.lock(), from = new Uint32Array(source.buffer, source.byteOffset, source.byteLength >> 2);
    const step = buffer.rowPitch >> 2, end = Math.min(right, buffer.width - x0);
    for (let y = top; y < bottom && y + y0 < buffer.height; y++) {
      words.set(
        from.subarray((y + y0) * step + left + x0, (y + y0) * step + Math.max(left, end) + x0),
        y * pitch + left,
      );
    }
    buffer.unlock();
  }
  target.unlock();
};

function word({ r, g, b, a }: { r: number; g: number; b: number; a: number }): number {
  const [red, green, blue, alpha] = [r, g, b, a].map((value) => Math.round(value * 255));
  return (red | green << 8 | blue << 16 | alpha << 24) >>> 0;
}
