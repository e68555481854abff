import { WsiError } from "../error.ts";
import type { Picture } from "./picture.ts";

/** A picture as a PNG. */
export async function pngOf(picture: Picture): Promise<Uint8Array> {
  const { width, height, rows, isOpaque, problem } = picture;
  if (!rows) throw new WsiError("unsupported", `Cannot make a PNG of a frame: ${problem}`);
  const data = new Uint8Array(4 * width * height);
  for (let y = 0; y < height; y++) {
    const from = 4 * (y * rows.stride + rows.left);
    data.set(rows.data.subarray(from, from + 4 * width), 4 * y * width);
  }
  if (isOpaque) { for (let alpha = 3; alpha < data.length; alpha += 4) data[alpha] = 255; }
  const { encode } = await import("fast-png"); // most programs never want one
  return encode({ width, height, data, channels: 4 });
}
