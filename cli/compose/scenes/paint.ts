import type { GraphicBuffer } from "../../../wsi/mod.ts";

const WHITE = pixel(1, 1, 1), DIM = pixel(1, 1, 1, 0.35);

interface Area {
  readonly words: Uint32Array;
  readonly stride: number;
  readonly width: number;
  readonly height: number;
}

/** Time, reception and battery on a dark veil. */
export function paintStatusBar(area: Area, seconds: number): void {
  const { width, height } = area, unit = Math.max(1, Math.floor(height / 14)), middle = Math.floor(height / 2);
  clear(area, pixel(0.04, 0.05, 0.1, 0.45));
  const time = `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, "0")}`;
  drawDigits(area, time, { x: 6 * unit, y: middle - Math.round(3.5 * unit), unit, word: WHITE });
  const right = width - 6 * unit, top = middle - 3 * unit;
  fill(area, right - 12 * unit, top, 12 * unit, 7 * unit, DIM);
  fill(area, right - 11 * unit, top + unit, 7 * unit, 5 * unit, WHITE);
  for (let bar = 0; bar < 4; bar++) {
    const tall = (bar + 1) * 7 * unit / 4;
    fill(area, right - (26 - 3 * bar) * unit, top + 7 * unit - tall, 2 * unit, tall, bar < 3 ? WHITE : DIM);
  }
}

/** Back, home and overview. */
export function paintNavigationBar(area: Area): void {
  const { width, height } = area, size = height * 0.17, middle = height / 2;
  clear(area, pixel(0.04, 0.05, 0.1, 0.6));
  const inside = [
    (x: number, y: number) => x > -size && x < size && Math.abs(y) < (x + size) * 0.58,
    (x: number, y: number) => Math.abs(Math.hypot(x, y) - size * 0.9) < size * 0.18,
    (x: number, y: number) => {
      const out = Math.max(Math.abs(x), Math.abs(y));
      return out < size && out > size * 0.68;
    },
  ];
  inside.forEach((shape, index) => {
    const centre = width * (index + 1) / 4;
    for (let y = Math.floor(middle - size); y <= middle + size; y++) {
      for (let x = Math.floor(centre - size); x <= centre + size; x++) {
        if (shape(x - centre, y - middle)) area.words[y * area.stride + x] = WHITE;
      }
    }
  });
}

/** Paints captions as lines of blocks on a dark plate. */
export function paintCaptions(area: Area, second: number): void {
  const { width, height } = area, unit = height / 8;
  clear(area, pixel(0, 0, 0, 0.55));
  for (const line of [0, 1]) {
    for (let x = unit * 3, word = second + 3 * line; x < width - unit * 6; word++) {
      const wide = unit * (2 + word * 7 % 5);
      fill(area, x, unit * (2 + 2.6 * line), Math.min(wide, width - unit * 3 - x), unit * 1.4, WHITE);
      x += wide + unit;
    }
  }
}

function clear({ words, stride, width, height }: Area, word: number): void {
  for (let y = 0; y < height; y++) words.fill(word, y * stride, y * stride + width);
}

function fill({ words, stride }: Area, left: number, top: number, width: number, height: number, word: number): void {
  const [x, wide] = [Math.round(left), Math.round(width)];
  for (let y = Math.round(top); y < Math.round(top + height); y++) {
    words.fill(word, y * stride + x, y * stride + x + wide);
  }
}

/** Five rows of three dots for each character, as bits from the left. */
const SHAPES: Readonly<Record<string, readonly number[]>> = {
  "0": [7, 5, 5, 5, 7],
  "1": [2, 6, 2, 2, 7],
  "2": [7, 1, 7, 4, 7],
  "3": [7, 1, 7, 1, 7],
  "4": [5, 5, 7, 1, 1],
  "5": [7, 4, 7, 1, 7],
  "6": [7, 4, 7, 5, 7],
  "7": [7, 1, 2, 2, 2],
  "8": [7, 5, 7, 5, 7],
  "9": [7, 5, 7, 1, 7],
  ":": [0, 2, 0, 2, 0],
};
const ROW = 1.4;

/** The place of digits: the upper left corner, the size of a dot, the pixel. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly unit: number;
  readonly word: number;
}

/** Draws digits and colons. */
function drawDigits(
  { words, stride }: { readonly words: Uint32Array; readonly stride: number },
  text: string,
  { x, y, unit, word }: Place,
): void {
  const tall = Math.round(ROW * unit);
  [...text].forEach((character, index) => {
    SHAPES[character].forEach((dots, row) => {
      for (let column = 0; column < 3; column++) {
        if ((dots & 4 >> column) === 0) continue;
        const left = x + (4 * index + column) * unit;
        for (let line = 0; line < tall; line++) {
          const at = (y + row * tall + line) * stride + left;
          words.fill(word, at, at + unit);
        }
      }
    });
  });
}

/** A premultiplied RGBA pixel of channels 0 to 1. */
export function pixel(red: number, green: number, blue: number, alpha: number = 1): number {
  const byte = (value: number) => Math.round(255 * Math.max(0, Math.min(1, value * alpha)));
  return (byte(red) | byte(green) << 8 | byte(blue) << 16 | Math.round(255 * alpha) << 24) >>> 0;
}

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
