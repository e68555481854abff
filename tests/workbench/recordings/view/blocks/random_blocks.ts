import { formatOf } from "../../../../../loader/texels/format.ts";
import { decodeAstc } from "../../../../../workbench/recordings/view/blocks/astc.ts";

/** Kinds of colours of ASTC that have low dynamic range. */
const LOW_RANGE = [0, 1, 4, 5, 6, 8, 9, 10, 12, 13];

/** Returns blocks of random bytes, the same at each call. Every mode of a format begins some of them. */
export function randomBlocks(format: number, count: number, size: number): Uint8Array<ArrayBuffer> {
  const next = generator(format), blocks = Uint8Array.from({ length: count * size }, () => next() >>> 24);
  const isBc7 = format === 145 || format === 146, { blockExtent: [width, height] } = formatOf(format);
  const modes = format >= 157 && format <= 184 ? meaningfulModes(width, height) : [];
  for (let block = 0; block < count; block++) {
    const bytes = blocks.subarray(block * size, (block + 1) * size);
    // The number of zeros before the first one is the mode of BC7: each as often as the others.
    if (isBc7) bytes[0] = 1 << block % 8 | bytes[0] & 0xff << block % 8;
    if (modes.length > 0 && block % 4 > 0) setHead(bytes, modes[(next() >>> 8) % modes.length], next);
  }
  return blocks;
}

/** Random words. */
function generator(seed: number): () => number {
  let state = seed * 2654435761 >>> 0;
  return () => state = Math.imul(state, 1664525) + 1013904223 >>> 0;
}

/** The modes of ASTC that mean something for a size of blocks. The driver judges whether they do. */
function meaningfulModes(width: number, height: number): number[] {
  const decode = decodeAstc(width, height, false), out = new Float32Array(4 * width * height);
  return Array.from({ length: 2048 }, (_, mode) => mode).filter((mode) => {
    const block = new Uint8Array(16);
    setBits(block, 0, 11, mode);
    decode(block, 0, out);
    return out[0] !== 255;
  });
}

/** Gives a block of ASTC a mode, one part to four, and kinds of colours: of all parts the same, or each its own. */
function setHead(block: Uint8Array, mode: number, next: () => number): void {
  const parts = 1 + (next() >>> 10) % 4, kind = LOW_RANGE[(next() >>> 9) % LOW_RANGE.length];
  setBits(block, 0, 11, mode);
  setBits(block, 11, 2, parts - 1);
  if (parts === 1) return setBits(block, 13, 4, kind);
  if ((next() >>> 12) % 3 === 0) return;
  setBits(block, 23, 2, 0);
  setBits(block, 25, 4, kind % 8); // kinds with many numbers leave no room
}

function setBits(block: Uint8Array, at: number, count: number, value: number): void {
  for (let bit = 0; bit < count; bit++) {
    const byte = at + bit >> 3, mask = 1 << (at + bit & 7);
    block[byte] = value >> bit & 1 ? block[byte] | mask : block[byte] & ~mask;
  }
}
