/** FNV-1a's starting value, 32 bits. */
export const HASH_SEED = 0x811c9dc5;
/** FNV-1a's multiplier. */
export const HASH_PRIME = 0x01000193;

/** The hash of the emitted name lookup: 32-bit FNV-1a over the bytes of the name. */
export function nameHash(bytes: Uint8Array): number {
  let hash = HASH_SEED;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, HASH_PRIME);
  return hash >>> 0;
}
