import type { Instruction } from "../../../../wsi/gpu/spirv.ts";
import { instruction, OP, SpirvModule, STORAGE } from "./spirv_module.ts";

/** The counters: one word for each texel of so many rows and columns, in a set of its own. */
export interface Counters {
  readonly width: number;
  readonly height: number;
  readonly set: number;
}

const FRAGMENT = 4, FRAGMENT_COORDINATE = 15;
/** Execution modes, and a scope and semantics of atomics. */
const EARLY_TESTS = 9, DEPTH_REPLACING = 12, STENCIL_REPLACING = 5027, DEVICE = 1, RELAXED = 0;
/** Instructions that end fragments: kill, terminate, and demote. */
const ENDS: readonly number[] = [252, 4416, 5380];
const SAMPLE_MASK = 20;
/** The words of a fragment shader that does nothing: its capability, memory model, entry point, mode and function. */
const NOTHING: readonly (readonly [op: number, ...operands: number[]])[] = [
  [OP.capability, 1],
  [14, 0, 1],
  [OP.entryPoint, FRAGMENT, 1, 0x6e69616d, 0], // "main"
  [OP.executionMode, 1, 7], // the origin is the upper left
  [OP.typeVoid, 2],
  [OP.typeFunction, 3, 2],
  [OP.function, 2, 1, 0, 3],
  [OP.label, 4],
  [OP.return],
  [OP.functionEnd],
];

/** Returns a fragment shader that does nothing, for pipelines that have none. */
export function emptyFragment(): Uint8Array<ArrayBuffer> {
  const words = NOTHING.flatMap(([op, ...operands]) => [...instruction(op, ...operands)[1]]);
  return new Uint8Array(new Uint32Array([0x07230203, 0x10000, 0, 5, 0, ...words]).buffer);
}

/**
 * Returns a fragment shader that counts its fragments by texel: those that are rasterized and that it does not discard,
 * or, if `isTested`, those that pass the tests of depth and stencil before it runs.
 *
 * @throws {TypeError} if the code is no fragment shader.
 */
export function countingShader(
  words: Uint8Array,
  entry: string,
  counters: Counters,
  isTested: boolean,
): Uint8Array<ArrayBuffer> {
  const module = new SpirvModule(words), { id, variables } = module.entry(FRAGMENT, entry);
  const { bool, uint, float } = module.types, { width, height, set } = counters, body: Instruction[] = [];
  const buffer = module.addBuffer(set, 0), vector = module.type(OP.typeVector, float, 4);
  const place = module.builtIn(vector, FRAGMENT_COORDINATE, variables);
  const make = (op: number, type: number, ...operands: readonly number[]) => {
    const result = module.id();
    body.push(instruction(op, type, result, ...operands));
    return result;
  };
  const whole = make(OP.load, vector, place);
  const [x, y] = [0, 1].map((at) => make(OP.convertFloatToUnsigned, uint, make(OP.compositeExtract, float, whole, at)));
  const isIn = make(
    OP.logicalAnd,
    bool,
    make(OP.lessThan, bool, x, module.constant(width)),
    make(OP.lessThan, bool, y, module.constant(height)),
  );
  const row = make(OP.add, uint, make(OP.multiply, uint, y, module.constant(width)), x);
  const index = make(OP.select, uint, isIn, row, module.constant(width * height));
  const counter = make(OP.accessChain, module.pointer(STORAGE.storageBuffer, uint), buffer, module.constant(0), index);
  make(OP.atomicAdd, uint, counter, module.constant(DEVICE), module.constant(RELAXED), module.constant(1));
  const wrapper = module.addCaller(id, body);
  module.replaceEntry(FRAGMENT, entry, wrapper, [place, buffer]);
  module.code.splice(
    0,
    module.code.length,
    ...module.code.filter(([op, each]) => op !== OP.executionMode || each[2] !== EARLY_TESTS),
  );
  if (isTested) module.mode(wrapper, EARLY_TESTS);
  return module.bytes;
}

/** Returns why the tests of a shader's fragments cannot come before the shader; `undefined` if they can. */
export function reasonAgainstEarlyTests(words: Uint8Array): string | undefined {
  const { code } = new SpirvModule(words);
  const isMode = (modes: readonly number[]) =>
    code.some(([op, each]) => op === OP.executionMode && modes.includes(each[2]));
  if (isMode([EARLY_TESTS])) return undefined;
  if (isMode([DEPTH_REPLACING, STENCIL_REPLACING])) return "its shader computes depth or stencil";
  if (code.some(([op]) => ENDS.includes(op))) return "its shader discards fragments";
  const isMask = code.some(([op, each]) => op === OP.decorate && each[2] === 11 && each[3] === SAMPLE_MASK);
  return isMask ? "its shader has a sample mask" : undefined;
}
