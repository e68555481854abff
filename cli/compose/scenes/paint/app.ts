import { pixel } from "./pixel.ts";

const DOTS = 14, TURN = 240;

/** Paints the application without Vulkan: a turning ring of dots. */
export function paintApp(words: Uint32Array, stride: number, width: number, height: number, number: number): void {
  for (let y = 0; y < height; y++) {
    const light = y / height;
    words.fill(pixel(0.09 + 0.05 * light, 0.13 + 0.06 * light, 0.22 + 0.1 * light), y * stride, y * stride + width);
  }
  const size = Math.min(width, height), ring = size * 0.3;
  for (let dot = 0; dot < DOTS; dot++) {
    const angle = 2 * Math.PI * (dot / DOTS + number / TURN), share = dot / DOTS;
    const x = width / 2 + ring * Math.cos(angle), y = height / 2 + ring * Math.sin(angle);
    disc(words, stride, x, y, size * (0.015 + 0.035 * share), pixel(0.5 + 0.5 * share, 0.75, 1 - 0.4 * share));
  }
}

function disc(words: Uint32Array, stride: number, x: number, y: number, radius: number, word: number): void {
  for (let row = Math.ceil(y - radius); row <= y + radius; row++) {
    const half = Math.sqrt(radius * radius - (row - y) ** 2);
    words.fill(word, row * stride + Math.ceil(x - half), row * stride + Math.floor(x + half) + 1);
  }
}
