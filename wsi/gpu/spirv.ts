/**
 * Facts from a shader's code: the entry point of a stage, and the bindings that the entry point uses. Words and numbers
 * are those of the SPIR-V specification, sections 2.3 and 3.
 *
 * @module
 */
import {
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
  VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
  VK_DESCRIPTOR_TYPE_SAMPLER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
  VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
} from "../../loader/gen/enums_core_gen.js";
import type { VkDescriptorType } from "../../loader/types.ts";

/** A stage that `compute()` and `draw()` run. */
export type ShaderStage = "vertex" | "fragment" | "compute";

/** A descriptor that a shader uses. */
export interface ShaderBinding {
  /** The number of the set. */
  readonly set: number;
  /** The number of the binding in the set. */
  readonly binding: number;
  /** The kind of descriptor. */
  readonly type: VkDescriptorType;
  /** The number of descriptors: 1, or the length of the array. */
  readonly count: number;
}

/** The result of {@linkcode reflect}. */
export interface ShaderFacts {
  /** The name of the entry point. */
  readonly entryPoint: string;
  /** The descriptors that the entry point uses, directly or in functions that it calls. */
  readonly bindings: readonly ShaderBinding[];
}

const MAGIC = 0x07230203, HEADER_WORDS = 5;
/** Execution models, by stage. */
const MODELS: Readonly<Record<ShaderStage, number>> = { vertex: 0, fragment: 4, compute: 5 };
const OP = {
  entryPoint: 15,
  image: 25,
  sampler: 26,
  sampledImage: 27,
  array: 28,
  runtimeArray: 29,
  pointer: 32,
  constant: 43,
  function: 54,
  functionEnd: 56,
  call: 57,
  variable: 59,
  store: 62,
  copyMemory: 63,
  decorate: 71,
  atomicStore: 228,
} as const;
const DECORATION = { bufferBlock: 3, binding: 33, descriptorSet: 34 } as const;
const STORAGE = { uniform: 2, storageBuffer: 12 } as const;
const DIMENSION = { buffer: 5, subpass: 6 } as const;

/** An instruction: its number and its words. The first word contains both number and length. */
export type Instruction = readonly [op: number, words: Uint32Array];

/**
 * Finds the entry point of a stage and the bindings that it uses.
 *
 * @param name The entry point's name. Default: the only one of the stage, or the one named `main`.
 * @throws {TypeError} when the words are no SPIR-V, or have no such entry point.
 */
export function reflect(words: Uint32Array, stage: ShaderStage, name?: string): ShaderFacts {
  const code = [...instructions(words, stage)], entry = entryPoint(code, stage, name);
  const tables = readTables(code), used = usedIds(code, entry.id);
  const bindings = [...tables.variables.values()].filter(({ id }) => used.has(id) && tables.bindings.has(id));
  return { entryPoint: entry.name, bindings: bindings.map((variable) => describe(variable, tables)) };
}

/**
 * Returns the name of a stage's entry point, as {@linkcode reflect} chooses it.
 *
 * @throws {TypeError} when the words are no SPIR-V, or have no such entry point.
 */
export function entryPointName(words: Uint32Array, stage: ShaderStage, name?: string): string {
  return entryPoint([...instructions(words, stage)], stage, name).name;
}

function* instructions(words: Uint32Array, stage: ShaderStage): Generator<Instruction> {
  if (words[0] !== MAGIC) {
    const found = words.length === 0 ? "no words" : `the first word is 0x${words[0].toString(16)}`;
    throw new TypeError(`Cannot use the ${stage} shader: SPIR-V starts with the word 0x7230203, and ${found}`);
  }
  let end = HEADER_WORDS;
  for (const instruction of instructionsOf(words)) {
    yield instruction;
    end += instruction[1].length;
  }
  if (end >= words.length) return;
  throw new TypeError(`Cannot use the ${stage} shader: its SPIR-V is cut off or damaged at word ${end}`);
}

/** Returns the instructions of any words behind a header, up to one that is cut off or damaged. */
export function* instructionsOf(words: Uint32Array): Generator<Instruction> {
  for (let at = HEADER_WORDS; at < words.length;) {
    const length = words[at] >>> 16;
    if (length === 0 || at + length > words.length) return;
    yield [words[at] & 0xffff, words.subarray(at, at + length)];
    at += length;
  }
}

interface EntryPoint {
  readonly id: number;
  readonly name: string;
}

function entryPoint(code: readonly Instruction[], stage: ShaderStage, name: string | undefined): EntryPoint {
  const all = code.filter(([op, words]) => op === OP.entryPoint && words[1] === MODELS[stage])
    .map(([, words]) => ({ id: words[2], name: textAt(words, 3) }));
  const found = name !== undefined || all.length > 1 ? all.find((each) => each.name === (name ?? "main")) : all[0];
  if (found) return found;
  const names = all.map((each) => `"${each.name}"`).join(", ") || "none";
  const wanted = name !== undefined ? ` named "${name}"` : all.length > 1 ? ` named "main", and none was chosen` : "";
  throw new TypeError(`Cannot use the ${stage} shader: it has no entry point of that stage${wanted} (found: ${names})`);
}

function textAt(words: Uint32Array, from: number): string {
  const bytes = new Uint8Array(words.buffer, words.byteOffset + 4 * from, 4 * (words.length - from));
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}

/** A global variable, whose type is a pointer. */
interface Variable {
  readonly id: number;
  readonly pointer: number;
}

/** The declarations of a module, by the ids of results. */
interface Tables {
  /** Types and constants. */
  readonly declarations: ReadonlyMap<number, Instruction>;
  readonly variables: ReadonlyMap<number, Variable>;
  readonly sets: ReadonlyMap<number, number>;
  readonly bindings: ReadonlyMap<number, number>;
  /** Structs that older compilers mark as storage buffers. */
  readonly bufferBlocks: ReadonlySet<number>;
}

function readTables(code: readonly Instruction[]): Tables {
  const declarations = new Map<number, Instruction>(), variables = new Map<number, Variable>();
  const sets = new Map<number, number>(), bindings = new Map<number, number>(), bufferBlocks = new Set<number>();
  for (const instruction of code) {
    const [op, words] = instruction;
    if (op === OP.function) break; // global declarations come first
    if (op === OP.decorate && words[2] === DECORATION.binding) bindings.set(words[1], words[3]);
    else if (op === OP.decorate && words[2] === DECORATION.descriptorSet) sets.set(words[1], words[3]);
    else if (op === OP.decorate && words[2] === DECORATION.bufferBlock) bufferBlocks.add(words[1]);
    else if (op === OP.variable) variables.set(words[2], { pointer: words[1], id: words[2] });
    else if (op === OP.constant) declarations.set(words[2], instruction);
    else if (op >= OP.image && op <= OP.pointer) declarations.set(words[1], instruction);
  }
  return { declarations, variables, sets, bindings, bufferBlocks };
}

/** The ids of variables that a function uses, and of functions that it calls. */
function usedIds(code: readonly Instruction[], entry: number): Set<number> {
  const bodies = functionBodies(code), used = new Set<number>(), left = [entry];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    for (const operand of bodies.get(id) ?? []) {
      if (!used.has(operand) && bodies.has(operand)) left.push(operand);
      used.add(operand);
    }
  }
  return used;
}

function functionBodies(code: readonly Instruction[]): Map<number, Set<number>> {
  const bodies = new Map<number, Set<number>>();
  let body: Set<number> | undefined;
  for (const [op, words] of code) {
    if (op === OP.function) bodies.set(words[2], body = new Set());
    else if (op === OP.functionEnd) body = undefined;
    else for (const id of pointersOf(op, words)) body?.add(id);
  }
  return bodies;
}

/** The words of an instruction in a function that may name a variable or a function. */
function pointersOf(op: number, words: Uint32Array): Iterable<number> {
  if (op === OP.store || op === OP.atomicStore) return words.subarray(1, 2);
  if (op === OP.copyMemory) return words.subarray(1, 3);
  if (op === OP.call) return words.subarray(3);
  return words.subarray(3, 4); // a load, an access chain, an atomic: result type, result, pointer
}

function describe({ id, pointer }: Variable, tables: Tables): ShaderBinding {
  const [, [, , storage, pointee]] = tables.declarations.get(pointer)!;
  const { type, count } = elementOf(pointee, tables), binding = tables.bindings.get(id)!;
  return { set: tables.sets.get(id) ?? 0, binding, count, type: descriptorType(storage, type, tables) };
}

/** The element of an array of descriptors. A runtime array counts as one descriptor. */
function elementOf(type: number, { declarations }: Tables): { type: number; count: number } {
  const [op, words] = declarations.get(type) ?? [];
  if (op === OP.array) return { type: words![2], count: declarations.get(words![3])?.[1][3] ?? 1 };
  return { type: op === OP.runtimeArray ? words![2] : type, count: 1 };
}

function descriptorType(storage: number, type: number, tables: Tables): VkDescriptorType {
  if (storage === STORAGE.storageBuffer) return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  if (storage === STORAGE.uniform) {
    return tables.bufferBlocks.has(type) ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  }
  const [op, words] = tables.declarations.get(type) ?? [0, new Uint32Array()];
  if (op === OP.sampler) return VK_DESCRIPTOR_TYPE_SAMPLER;
  if (op === OP.sampledImage) return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  if (op === OP.image) return imageType(words);
  throw new TypeError("Cannot bind what the shader uses: only buffers, images and samplers are bound here");
}

/** The descriptor type of an image, by its dimension and by whether the image is sampled (1) or stored to (2). */
function imageType([, , , dimension, , , , sampled]: Uint32Array): VkDescriptorType {
  const isStored = sampled === 2;
  if (dimension === DIMENSION.subpass) return VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
  if (dimension === DIMENSION.buffer) {
    return isStored ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  }
  return isStored ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
}
