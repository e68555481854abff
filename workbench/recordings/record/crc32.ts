let table: Int32Array | undefined;

/**
 * Returns the CRC-32 of text in UTF-16, low byte first. `before` is the CRC-32
 * of the text before it; begin with 0. Deno's UTF-8 encoder must not be used in
 * hooks.
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
