/** Words before the first instruction of a module. */
const HEADER = 5;
const OP = {
  undef: 1,
  extInst: 12,
  call: 57,
  variable: 59,
  load: 61,
  store: 62,
  copyMemory: 63,
  accessChain: 65,
  inBoundsAccessChain: 66,
  copyObject: 83,
} as const;
const STORAGE = { output: 3, private: 6, function: 7 } as const;
const OWN: readonly number[] = Object.values(STORAGE);
/** Words of an OpVariable without an initial value. */
const PLAIN_VARIABLE = 4;

/**
 * Returns what a shader leaves undefined: each OpUndef, variables that are read and never written, and outputs that are
 * never written. Drivers may differ there, which says nothing about them. `spirv-reduce` makes such shaders.
 */
export function undefinedIn(bytes: Uint8Array): ReadonlySet<string> {
  const variables = new Map<number, number>(), bases = new Map<number, number>(), found = new Set<string>();
  const written = new Set<number>(), read = new Set<number>();
  const baseOf = (id: number) => bases.get(id) ?? id;
  for (const [op, words] of instructionsOf(bytes)) {
    if (op === OP.undef) found.add(`undefined ${words[2]}`);
    if (op === OP.variable && OWN.includes(words[3]) && words.length === PLAIN_VARIABLE) {
      variables.set(words[2], words[3]);
    }
    if (op === OP.accessChain || op === OP.inBoundsAccessChain || op === OP.copyObject) {
      bases.set(words[2], baseOf(words[3]));
    }
    if (op === OP.load) read.add(baseOf(words[3]));
    if (op === OP.store || op === OP.copyMemory) written.add(baseOf(words[1]));
    if (op === OP.copyMemory) read.add(baseOf(words[2]));
    // A function may write through any pointer that it gets.
    if (op === OP.call || op === OP.extInst) { for (const each of words.subarray(4)) written.add(baseOf(each)); }
  }
  for (const [id, storage] of variables) {
    if (!written.has(id) && (storage === STORAGE.output || read.has(id))) found.add(`unwritten ${id}`);
  }
  return found;
}

/** The instructions of a module, with their words. */
function* instructionsOf(bytes: Uint8Array): Generator<[op: number, words: Uint32Array]> {
  const words = new Uint32Array(bytes.slice().buffer);
  for (let at = HEADER; at < words.length; at += Math.max(1, words[at] >>> 16)) {
    yield [words[at] & 0xffff, words.subarray(at, at + Math.max(1, words[at] >>> 16))];
  }
}
