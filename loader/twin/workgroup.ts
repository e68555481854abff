/**
 * The size of a compute shader's workgroup, from the code. Words and numbers are those of the SPIR-V specification,
 * sections 2.3 and 3.
 *
 * @module
 */

const HEADER_WORDS = 5;
const OP = {
  entryPoint: 15,
  executionMode: 16,
  constant: 43,
  constantComposite: 44,
  specConstant: 50,
  decorate: 71,
} as const;
const SPEC_COMPOSITE = 51, MODE_ID = 331;
const COMPUTE = 5, LOCAL_SIZE = 17, LOCAL_SIZE_ID = 38, SPEC_ID = 1, BUILT_IN = 11, WORKGROUP_SIZE = 25;

/**
 * Returns the size of the workgroup of an entry point, with specialized
 * constants; `undefined` if the code does not say.
 */
export function workgroupOf(
  code: Uint32Array,
  entryPoint: string,
  specialized: ReadonlyMap<number, number>,
): number[] | undefined {
  const constants = new Map<number, number>(),
    composites = new Map<number, number[]>(),
    ids = new Map<number, number>();
  let entry: number | undefined, builtIn: number | undefined, literal: number[] | undefined, byId: number[] | undefined;
  for (const [op, words] of instructions(code)) {
    if (op === OP.entryPoint && words[1] === COMPUTE && textAt(words, 3) === entryPoint) entry = words[2];
    else if (op === OP.executionMode && words[1] === entry && words[2] === LOCAL_SIZE) {
      literal = [...words.subarray(3, 6)];
    } else if (op === MODE_ID && words[1] === entry && words[2] === LOCAL_SIZE_ID) byId = [...words.subarray(3, 6)];
    else if (op === OP.decorate && words[2] === SPEC_ID) ids.set(words[1], words[3]);
    else if (op === OP.decorate && words[2] === BUILT_IN && words[3] === WORKGROUP_SIZE) builtIn = words[1];
    else if (op === OP.constant) constants.set(words[2], words[3]);
    else if (op === OP.specConstant) constants.set(words[2], specialized.get(ids.get(words[2]) ?? -1) ?? words[3]);
    else if (op === OP.constantComposite || op === SPEC_COMPOSITE) composites.set(words[2], [...words.subarray(3)]);
  }
  const size = composites.get(builtIn ?? -1) ?? byId;
  return size ? size.map((id) => constants.get(id) ?? 1) : literal;
}

function* instructions(code: Uint32Array): Generator<[op: number, words: Uint32Array]> {
  for (let at = HEADER_WORDS; at < code.length;) {
    const length = code[at] >>> 16;
    if (length === 0 || at + length > code.length) return; // damaged code is the driver's to refuse
    yield [code[at] & 0xffff, code.subarray(at, at + length)];
    at += length;
  }
}

function textAt(words: Uint32Array, from: number): string {
  const bytes = new Uint8Array(words.buffer, words.byteOffset + 4 * from, 4 * (words.length - from));
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}
