let table: Int32Array | undefined;

/**
 * The CRC-32 of text in UTF-16, low byte first, that of what stood before it
 * given: begin with 0. Deno's encoder to UTF-8 may not be used in hooks.
 */
export function crc32(text: string, before = 0): number {
  const steps = table ??= makeTable();
  let crc = ~before;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    crc = steps[(crc ^ unit) & 0xff] ^ crc >>> 8;
    crc = steps[(crc ^ unit >>> 8) & 0xff] ^ crc >>> 8;
  }
  return ~crc >>> 0;
}

function makeTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? 0xedb88320 ^ byte >>> 1 : byte >>> 1;
    return byte;
  });
}
