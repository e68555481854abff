/** Bytes of a block. */
const BLOCK = 64;
let rounds: Int32Array | undefined;

/**
 * Returns the SHA-256 of bytes in hexadecimal. Deno's own function must not be
 * called in a hook, because Deno may be the caller.
 */
export function sha256(bytes: Uint8Array): string {
  rounds ??= rootBits(64, 1 / 3);
  const state = rootBits(8, 1 / 2),
    size = Math.ceil((bytes.length + 9) / BLOCK) * BLOCK,
    padded = new Uint8Array(size);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(size - 8, BigInt(bytes.length) * 8n);
  const words = new Int32Array(64);
  for (let at = 0; at < size; at += BLOCK) mixBlock(state, view, at, words);
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The first 32 bits behind the point of a root of each of the first primes. */
function rootBits(count: number, power: number): Int32Array {
  const words = new Int32Array(count);
  for (let found = 0, prime = 2; found < count; prime++) {
    let divisor = 2;
    while (prime % divisor !== 0) divisor++;
    if (divisor === prime) words[found++] = (prime ** power % 1) * 0x1_0000_0000 | 0;
  }
  return words;
}

/** Plain variables instead of lists, because recordings hash whole images. */
function mixBlock(state: Int32Array, view: DataView, at: number, words: Int32Array): void {
  stretch(view, at, words);
  let a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
  for (let i = 0; i < 64; i++) {
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + rounds![i] + words[i] | 0;
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c) | 0;
    h = g;
    g = f;
    f = e;
    e = d + first | 0;
    d = c;
    c = b;
    b = a;
    a = first + second | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

/** Expands the 16 words of a block to 64. */
function stretch(view: DataView, at: number, words: Int32Array): void {
  for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const early = words[i - 15], late = words[i - 2];
    const low = turn(early, 7) ^ turn(early, 18) ^ early >>> 3, high = turn(late, 17) ^ turn(late, 19) ^ late >>> 10;
    words[i] = words[i - 16] + low + words[i - 7] + high;
  }
}

function turn(word: number, bits: number): number {
  return word >>> bits | word << 32 - bits;
}
