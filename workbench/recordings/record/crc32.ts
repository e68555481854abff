/** Bytes that one step takes, each with a table of its own. */
const STEP = 4;
let tables: Int32Array | undefined;

/**
 * Returns the CRC-32 of text in UTF-16, low byte first. `before` is the CRC-32
 * of the text before it; begin with 0. Deno's UTF-8 encoder must not be used in
 * hooks. Two units at a time take half as long as one byte after the other.
 */
export function crc32(text: string, before = 0): number {
  const steps = tables ??= makeTables(), even = text.length & ~1;
  let crc = ~before;
  for (let index = 0; index < even; index += 2) {
    crc ^= text.charCodeAt(index) | text.charCodeAt(index + 1) << 16;
    crc = steps[768 | crc & 0xff] ^ steps[512 | crc >>> 8 & 0xff] ^ steps[256 | crc >>> 16 & 0xff] ^ steps[crc >>> 24];
  }
  if (even < text.length) crc = ofBytes(steps, crc, text.charCodeAt(even));
  return ~crc >>> 0;
}

/** Takes the two bytes of one unit. */
function ofBytes(steps: Int32Array, crc: number, unit: number): number {
  const next = steps[(crc ^ unit) & 0xff] ^ crc >>> 8;
  return steps[(next ^ unit >>> 8) & 0xff] ^ next >>> 8;
}

/** Makes the table of a byte, and behind it those of a byte with one to three bytes of zero after it. */
function makeTables(): Int32Array {
  const made = new Int32Array(STEP * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ crc >>> 1 : crc >>> 1;
    made[byte] = crc;
  }
  for (let at = 256; at < made.length; at++) made[at] = made[made[at - 256] & 0xff] ^ made[at - 256] >>> 8;
  return made;
}
