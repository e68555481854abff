/** Words before the first instruction of a module. */
const HEADER = 5;
const OP = {
  typePointer: 32,
  store: 62,
  copyMemory: 63,
  copyMemorySized: 64,
  imageWrite: 99,
  firstAtomicWrite: 228,
  lastAtomicWrite: 242,
} as const;
/** Atomic operations of extensions: on floats, and flags. */
const ATOMICS: readonly number[] = [318, 319, 5614, 5615, 6035];
/** Instructions, in whose words a result's type comes before the result, that give pointers. */
const GIVES_POINTER: readonly number[] = [55, 57, 59, 60, 61, 65, 66, 67, 70, 83, 120, 124, 169, 245];
/** Storage classes of memory that is the shader's own: inputs, outputs, private, function and workgroup variables. */
const OWN: readonly number[] = [1, 3, 4, 6, 7];

/** The instructions of a SPIR-V module, with their words. */
export function* instructionsOf(bytes: Uint8Array): Generator<[op: number, words: Uint32Array]> {
  const words = new Uint32Array(bytes.slice().buffer, 0, bytes.length >> 2);
  for (let at = HEADER; at < words.length; at += Math.max(1, words[at] >>> 16)) {
    yield [words[at] & 0xffff, words.subarray(at, at + Math.max(1, words[at] >>> 16))];
  }
}

/** Whether a shader may write buffers or images that it reaches through descriptors or addresses. */
export function mayStore(bytes: Uint8Array): boolean {
  const classes = new Map<number, number>(), types = new Map<number, number>();
  for (const [op, words] of instructionsOf(bytes)) {
    if (op === OP.typePointer) classes.set(words[1], words[2]);
    if (GIVES_POINTER.includes(op)) types.set(words[2], words[1]);
    if (op === OP.imageWrite || ATOMICS.includes(op)) return true;
    if (op >= OP.firstAtomicWrite && op <= OP.lastAtomicWrite) return true;
    const isStore = op === OP.store || op === OP.copyMemory || op === OP.copyMemorySized;
    if (isStore && !OWN.includes(classes.get(types.get(words[1]) ?? 0) ?? -1)) return true;
  }
  return false;
}
