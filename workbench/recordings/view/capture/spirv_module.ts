import { type Instruction, instructionsOf } from "../../../../wsi/gpu/spirv.ts";

/** Numbers of instructions, as the SPIR-V specification has them. */
export const OP = {
  name: 5,
  memberName: 6,
  extension: 10,
  entryPoint: 15,
  executionMode: 16,
  capability: 17,
  typeVoid: 19,
  typeBool: 20,
  typeInt: 21,
  typeFloat: 22,
  typeVector: 23,
  typeMatrix: 24,
  typeArray: 28,
  typeRuntimeArray: 29,
  typeStruct: 30,
  typePointer: 32,
  typeFunction: 33,
  constant: 43,
  function: 54,
  functionEnd: 56,
  functionCall: 57,
  variable: 59,
  load: 61,
  store: 62,
  accessChain: 65,
  inBoundsAccessChain: 66,
  decorate: 71,
  memberDecorate: 72,
  compositeExtract: 81,
  bitcast: 124,
  convertFloatToUnsigned: 109,
  add: 128,
  subtract: 130,
  multiply: 132,
  select: 169,
  lessThan: 176,
  logicalAnd: 167,
  atomicAdd: 234,
  label: 248,
  return: 253,
  executionModeId: 331,
} as const;
/** Storage classes. */
export const STORAGE = { uniformConstant: 0, input: 1, output: 3, storageBuffer: 12 } as const;
/** Decorations. */
export const DECORATION = {
  block: 2,
  arrayStride: 6,
  builtIn: 11,
  stream: 29,
  location: 30,
  binding: 33,
  set: 34,
  offset: 35,
  feedbackBuffer: 36,
  feedbackStride: 37,
} as const;

/**
 * Instructions in front of types: extensions, imports, names, the memory model, entry points, execution modes and
 * decorations.
 */
const HEADS: readonly number[] = [
  2,
  3,
  4,
  5,
  6,
  7,
  10,
  11,
  14,
  15,
  16,
  17,
  71,
  72,
  73,
  74,
  75,
  330,
  331,
  332,
  5632,
  5633,
];
const HEADER_WORDS = 5, MAGIC = 0x07230203;
/** Versions as the header has them: the first with storage buffers, and with all variables in the interface. */
const VERSION_1_3 = 0x10300, VERSION_1_4 = 0x10400;

/** A shader's code, to which declarations and functions can be added. */
export class SpirvModule {
  /** The instructions, in order. Whoever changes the list keeps the order of the sections. */
  readonly code: Instruction[];
  readonly #header: Uint32Array;

  /**
   * Reads the words of a shader.
   *
   * @throws {TypeError} if the bytes are no SPIR-V, or cut off.
   */
  constructor(bytes: Uint8Array) {
    const words = new Uint32Array(bytes.slice().buffer, 0, bytes.length >> 2);
    this.#header = words.slice(0, HEADER_WORDS);
    this.code = [...instructionsOf(words)];
    const length = this.code.reduce((sum, [, { length }]) => sum + length, HEADER_WORDS);
    if (words[0] !== MAGIC || length !== words.length) throw new TypeError("the shader's code is no whole SPIR-V");
  }

  /** The bytes of the shader as it is now. */
  get bytes(): Uint8Array<ArrayBuffer> {
    const all = [...this.#header, ...this.code.flatMap(([, words]) => [...words])];
    return new Uint8Array(new Uint32Array(all).buffer);
  }

  /** Returns an id that nothing has. */
  id(): number {
    return this.#header[3]++;
  }

  /** Returns the id, the interface and the place of an entry point by its execution model and name. */
  entry(model: number, name: string): { readonly id: number; readonly variables: readonly number[] } {
    for (const [op, words] of this.code) {
      if (op !== OP.entryPoint || words[1] !== model) continue;
      const text = textWords(words.subarray(3));
      if (text.text === name) return { id: words[2], variables: [...words.subarray(3 + text.length)] };
    }
    throw new TypeError(`the shader has no entry point "${name}" of its stage`);
  }

  /** Puts an entry point with further variables in the place of another, and removes all others. */
  replaceEntry(model: number, name: string, id: number, added: readonly number[]): void {
    const { id: old, variables } = this.entry(model, name);
    const isStorage = (variable: number) => this.variable(variable)?.storage === STORAGE.storageBuffer;
    const more = added.filter((each) => this.#header[1] >= VERSION_1_4 || !isStorage(each));
    const isMode = (op: number) => op === OP.executionMode || op === OP.executionModeId;
    const modes = this.code.filter(([op, words]) => isMode(op) && words[1] === old);
    const at = this.code.findIndex(([op]) => op === OP.entryPoint);
    const isGone = (op: number) => op === OP.entryPoint || isMode(op);
    const kept = this.code.slice(at).filter(([op]) => !isGone(op));
    this.code.length = at;
    this.code.push(
      instruction(OP.entryPoint, model, id, ...wordsOf(name), ...new Set([...variables, ...more])),
      ...modes.map(([op, words]) => instruction(op, id, ...words.subarray(2))),
      ...kept,
    );
  }

  /** Adds a capability, unless the shader has it. */
  capability(capability: number): void {
    if (this.code.some(([op, words]) => op === OP.capability && words[1] === capability)) return;
    this.code.unshift(instruction(OP.capability, capability));
  }

  /** Adds an execution mode, unless the entry point has it. */
  mode(entry: number, mode: number): void {
    if (this.code.some(([op, words]) => op === OP.executionMode && words[1] === entry && words[2] === mode)) return;
    const at = this.code.findLastIndex(([op]) => op === OP.entryPoint);
    this.code.splice(at + 1, 0, instruction(OP.executionMode, entry, mode));
  }

  /** Adds a decoration of an id. */
  decorate(id: number, ...words: readonly number[]): void {
    this.#annotate(instruction(OP.decorate, id, ...words));
  }

  /** Adds a decoration of a member. */
  decorateMember(struct: number, member: number, ...words: readonly number[]): void {
    this.#annotate(instruction(OP.memberDecorate, struct, member, ...words));
  }

  /** Returns the id of a type without names, which the shader has or gets. */
  type(op: number, ...operands: readonly number[]): number {
    const same = this.code.find(([each, words]) =>
      each === op && words.length === operands.length + 2 && operands.every((operand, at) => words[at + 2] === operand)
    );
    return same?.[1][1] ?? this.newType(op, ...operands);
  }

  /** Returns the id of a type that nothing else uses. */
  newType(op: number, ...operands: readonly number[]): number {
    const id = this.id();
    this.declare(instruction(op, id, ...operands));
    return id;
  }

  /** The types that most additions need. */
  get types(): { readonly void: number; readonly bool: number; readonly uint: number; readonly float: number } {
    return {
      void: this.type(OP.typeVoid),
      bool: this.type(OP.typeBool),
      uint: this.type(OP.typeInt, 32, 0),
      float: this.type(OP.typeFloat, 32),
    };
  }

  /** Returns the id of a pointer to a type. */
  pointer(storage: number, type: number): number {
    return this.type(OP.typePointer, storage, type);
  }

  /** Returns the id of an unsigned constant. */
  constant(value: number): number {
    const { uint } = this.types,
      same = this.code.find(([op, words]) =>
        op === OP.constant && words[1] === uint && words.length === 4 && words[3] === value >>> 0
      );
    if (same) return same[1][2];
    const id = this.id();
    this.declare(instruction(OP.constant, uint, id, value >>> 0));
    return id;
  }

  /** Adds a variable. `storage` is a storage class. */
  addVariable(type: number, storage: number): number {
    const pointer = this.pointer(storage, type), id = this.id();
    this.declare(instruction(OP.variable, pointer, id, storage));
    return id;
  }

  /** Returns the type and the storage class of a variable. */
  variable(id: number): { readonly type: number; readonly storage: number } | undefined {
    const [, words] = this.code.find(([op, words]) => op === OP.variable && words[2] === id) ?? [];
    if (!words) return undefined;
    return { type: this.declared(words[1])![1][3], storage: words[3] };
  }

  /** Returns the instruction that declares a type. */
  declared(type: number): Instruction | undefined {
    return this.code.find(([op, words]) => op >= OP.typeVoid && op <= OP.typeFunction && words[1] === type);
  }

  /** Returns the value of an unsigned constant of one word; `undefined` for one that can be specialized. */
  valueOf(constant: number): number | undefined {
    return this.code.find(([op, words]) => op === OP.constant && words[2] === constant)?.[1][3];
  }

  /** Gives an id a name, if the shader has names. */
  giveName(id: number, name: string): void {
    const at = this.code.findLastIndex(([op]) => op === OP.name);
    if (at >= 0) this.code.splice(at + 1, 0, instruction(OP.name, id, ...wordsOf(name)));
  }

  /** Returns the name of an id, or of a member, in the source; empty for none. */
  nameOf(id: number, member?: number): string {
    const [op, from] = member === undefined ? [OP.name, 2] as const : [OP.memberName, 3] as const;
    const [, words] =
      this.code.find(([each, words]) =>
        each === op && words[1] === id && (member === undefined || words[2] === member)
      ) ?? [];
    return words ? textWords(words.subarray(from)).text : "";
  }

  /** Returns the first word behind a decoration of an id, or of a member; `undefined` if there is none. */
  decorationOf(id: number, decoration: number, member?: number): number | undefined {
    return this.code.find(([op, words]) =>
      member === undefined
        ? op === OP.decorate && words[1] === id && words[2] === decoration
        : op === OP.memberDecorate && words[1] === id && words[2] === member && words[3] === decoration
    )?.[1].at(-1);
  }

  /** Returns the variable of a built-in input, which the shader has or gets. */
  builtIn(type: number, builtIn: number, used: readonly number[]): number {
    const known = used.find((id) =>
      this.variable(id)?.storage === STORAGE.input && this.decorationOf(id, DECORATION.builtIn) === builtIn
    );
    if (known !== undefined) return known;
    const id = this.addVariable(type, STORAGE.input);
    this.decorate(id, DECORATION.builtIn, builtIn);
    return id;
  }

  /** Adds a storage buffer of words. Returns the variable. */
  addBuffer(set: number, binding: number): number {
    const { uint } = this.types, words = this.newType(OP.typeRuntimeArray, uint);
    this.decorate(words, DECORATION.arrayStride, 4);
    const block = this.newType(OP.typeStruct, words);
    this.decorate(block, DECORATION.block);
    this.decorateMember(block, 0, DECORATION.offset, 0);
    const id = this.addVariable(block, STORAGE.storageBuffer);
    this.decorate(id, DECORATION.set, set);
    this.decorate(id, DECORATION.binding, binding);
    if (this.#header[1] < VERSION_1_3) this.#extension("SPV_KHR_storage_buffer_storage_class");
    return id;
  }

  /** Adds a function without parameters that calls another one first. Returns its id. */
  addCaller(called: number, body: readonly Instruction[]): number {
    const type = this.types.void, signature = this.type(OP.typeFunction, type), id = this.id();
    this.code.push(
      instruction(OP.function, type, id, 0, signature),
      instruction(OP.label, this.id()),
      instruction(OP.functionCall, type, this.id(), called),
      ...body,
      instruction(OP.return),
      instruction(OP.functionEnd),
    );
    return id;
  }

  #extension(name: string): void {
    const has = this.code.some(([op, words]) => op === OP.extension && textWords(words.subarray(1)).text === name);
    const at = this.code.findLastIndex(([op]) => op === OP.capability);
    if (!has) this.code.splice(at + 1, 0, instruction(OP.extension, ...wordsOf(name)));
  }

  #annotate(added: Instruction): void {
    const end = this.code.findIndex(([op]) => op === OP.function);
    const at = this.code.slice(0, end).findLastIndex(([op]) => HEADS.includes(op));
    this.code.splice(at + 1, 0, added);
  }

  /** Adds a type, a constant or a variable behind all others. */
  declare(added: Instruction): void {
    this.code.splice(this.code.findIndex(([op]) => op === OP.function), 0, added);
  }
}

/** Returns an instruction with its length. */
export function instruction(op: number, ...operands: readonly number[]): Instruction {
  return [op, Uint32Array.from([(operands.length + 1) << 16 | op, ...operands])];
}

/** The words of a text: UTF-8 with a zero behind. */
function wordsOf(text: string): Uint32Array {
  const plain = new TextEncoder().encode(text), bytes = new Uint8Array((plain.length >> 2) + 1 << 2);
  bytes.set(plain);
  return new Uint32Array(bytes.buffer);
}

/** The text at the beginning of words, and how many words it takes. */
function textWords(words: Uint32Array): { readonly text: string; readonly length: number } {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength), end = bytes.indexOf(0);
  const text = new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
  return { text, length: end < 0 ? words.length : (end >> 2) + 1 };
}
