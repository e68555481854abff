/** The Castagnoli polynomial, reflected. */
const POLYNOMIAL = 0x82f63b78;

let table: Uint32Array | undefined;

/**
 * The checksum of Android's shader cache files: CRC-32C's polynomial, but the
 * register begins at 0 and is not inverted at the end.
 *
 * @example
 * ```ts
 * import { cacheChecksum } from "./checksum.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(cacheChecksum(new TextEncoder().encode("123456789")), 0x58e3fa20);
 * ```
 */
export function cacheChecksum(bytes: Uint8Array): number {
  const rows = table ??= makeTable();
  let register = 0;
  for (let index = 0; index < bytes.length; index++) {
    register = rows[(register ^ bytes[index]) & 0xff] ^ (register >>> 8);
  }
  return register >>> 0;
}

function makeTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
    return value;
  });
}

/**
 * The hash that names an entry's file: Jenkins's one-at-a-time over words,
 * without its last steps. The length goes in first, then each four bytes, the
 * last filled up with zeros.
 */
export function entryHash(key: Uint8Array): number {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength), whole = key.length & ~3;
  let hash = mix(0, key.length);
  for (let at = 0; at < whole; at += 4) hash = mix(hash, view.getUint32(at, true));
  if (whole === key.length) return hash >>> 0;
  let tail = 0;
  for (let at = key.length - 1; at >= whole; at--) tail = (tail << 8) | key[at];
  return mix(hash, tail) >>> 0;
}

function mix(hash: number, data: number): number {
  const sum = (hash + data) | 0, spread = (sum + (sum << 10)) | 0;
  return spread ^ (spread >>> 6);
}
