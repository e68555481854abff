import type { Pixel, Readable } from "./texel.ts";

/** Stores 0 to 1, rounded to the target's precision; FP16 keeps values outside of this range. */
export function storeExact(to: Readable, x: number, y: number, pixel: Pixel): void {
  if (to.surface.kind === "rgba-fp16") return storeHalf(to, x, y, pixel);
  store(to, x, y, (c, most) => Math.round(most * Math.min(1, Math.max(0, pixel[c]))));
}

/** Stores bytes. 565 gets their top bits, wider formats their share of the maximum. */
export function store8(to: Readable, x: number, y: number, pixel: Pixel): void {
  if (to.surface.kind === "rgba-fp16") return storeHalf(to, x, y, pixel.map((value) => value / 255));
  store(to, x, y, (c, most) => {
    if (most === 255) return pixel[c];
    return most === 31 || most === 63 ? pixel[c] * (most + 1) >> 8 : Math.round(pixel[c] * most / 255);
  });
}

function storeHalf({ surface, view }: Readable, x: number, y: number, pixel: Pixel): void {
  for (let c = 0; c < 4; c++) view.setFloat16(y * surface.pitch + 8 * x + 2 * c, pixel[c], true);
}

/** `channel` gives a channel as an integer of at most `most`. */
function store({ surface, view }: Readable, x: number, y: number, channel: (c: number, most: number) => number): void {
  const { kind, pitch } = surface, row = y * pitch, r = (most: number) => channel(0, most);
  const g = (most: number) => channel(1, most), b = (most: number) => channel(2, most);
  const bytes = (offset: number, ...values: number[]) => values.forEach((v, i) => view.setUint8(row + offset + i, v));
  switch (kind) {
    case "rgba8888":
      return bytes(4 * x, r(255), g(255), b(255), channel(3, 255));
    case "rgbx8888":
      return bytes(4 * x, r(255), g(255), b(255), 255);
    case "bgra8888":
      return bytes(4 * x, b(255), g(255), r(255), channel(3, 255));
    case "rgb888":
      return bytes(3 * x, r(255), g(255), b(255));
    case "rgb565":
      return view.setUint16(row + 2 * x, r(31) << 11 | g(63) << 5 | b(31), true);
    case "rgba1010102":
      return view.setUint32(row + 4 * x, (channel(3, 3) << 30 | b(1023) << 20 | g(1023) << 10 | r(1023)) >>> 0, true);
    case "r8":
      return bytes(x, r(255));
    case "y8":
      return bytes(x, channel(1, 255));
  }
}
