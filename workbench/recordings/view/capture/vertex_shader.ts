import type { Instruction } from "../../../../wsi/gpu/spirv.ts";
import type { VertexOutput } from "../types.ts";
import { DECORATION, instruction, OP, SpirvModule, STORAGE } from "./spirv_module.ts";

/** The way of catching outputs: by transform feedback, or by stores that the shader gets. */
export type CaptureWay = "feedback" | "stores";

/** The vertices that a draw has, and the place of the buffer that stores go to. */
export interface StoredRange {
  readonly first: number;
  readonly count: number;
  readonly firstInstance: number;
  readonly instances: number;
  readonly set: number;
}

/** A shader that gives its outputs away. */
export interface CapturingShader {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly outputs: readonly VertexOutput[];
  /** Bytes of a vertex. */
  readonly stride: number;
}

/** An output variable, or a member of an output block. */
interface Source {
  readonly variable: number;
  readonly member: number | undefined;
  readonly type: number;
  readonly name: string;
}

/** A scalar or vector inside of an output. */
interface Leaf {
  readonly path: readonly number[];
  readonly type: number;
  /** The scalars, and words of each. */
  readonly scalar: number;
  readonly count: number;
  readonly words: number;
}

const VERTEX = 0;
/** Built-in outputs that are caught, and the inputs that tell the vertex. */
const BUILT_INS: Readonly<Record<number, string>> = {
  0: "gl_Position",
  1: "gl_PointSize",
  3: "gl_ClipDistance",
  4: "gl_CullDistance",
  9: "gl_Layer",
  10: "gl_ViewportIndex",
};
const POSITION = 0, VERTEX_INDEX = 42, INSTANCE_INDEX = 43;
const TRANSFORM_FEEDBACK = 53, XFB_MODE = 11;
/** Bytes of a vertex that every driver with transform feedback takes, and leaves of an output. */
const MOST_STRIDE = 512, MOST_LEAVES = 1024;

/**
 * Returns a vertex shader whose outputs go to a buffer.
 *
 * @throws {TypeError} if the shader has outputs for which there is no way.
 */
export function capturingShader(
  words: Uint8Array,
  entry: string,
  way: CaptureWay,
  range: StoredRange,
): CapturingShader {
  const module = new SpirvModule(words), { id, variables } = module.entry(VERTEX, entry);
  const sources = sourcesOf(module, variables), placed: { source: Source; leaves: Leaf[]; offset: number }[] = [];
  let stride = 0, alignment = 4;
  for (const source of sources) {
    const leaves = leavesOf(module, source.type), isLong = leaves.some((each) => each.words > 1);
    if (isLong) stride = Math.ceil(stride / 8) * (alignment = 8);
    placed.push({ source, leaves, offset: stride });
    stride += 4 * leaves.reduce((sum, each) => sum + each.count * each.words, 0);
  }
  stride = Math.ceil(stride / alignment) * alignment;
  if (way === "feedback") feed(module, id, placed, stride);
  else store(module, entry, placed, stride / 4, range);
  const outputs = placed.map(({ source, offset }) => ({ name: source.name, ...textOf(module, source.type), offset }));
  return { bytes: module.bytes, outputs, stride };
}

type Placed = readonly { readonly source: Source; readonly leaves: readonly Leaf[]; readonly offset: number }[];

/** Whether a shader asks for what a draw in the place of another would tell differently. */
export function usesDrawParameters(words: Uint8Array, builtIns: readonly number[]): boolean {
  return new SpirvModule(words).code.some(([op, each]) =>
    (op === OP.decorate && each[2] === DECORATION.builtIn && builtIns.includes(each[3])) ||
    (op === OP.memberDecorate && each[3] === DECORATION.builtIn && builtIns.includes(each[4]))
  );
}

function sourcesOf(module: SpirvModule, variables: readonly number[]): Source[] {
  const sources = variables.flatMap((variable): Source[] => {
    const { type, storage } = module.variable(variable) ?? {};
    if (storage !== STORAGE.output || type === undefined) return [];
    const [op, words] = module.declared(type)!;
    if (op !== OP.typeStruct) {
      const builtIn = module.decorationOf(variable, DECORATION.builtIn);
      const name = builtIn === undefined ? namedOutput(module, variable) : BUILT_INS[builtIn];
      return name === undefined ? [] : [{ variable, member: undefined, type, name }];
    }
    return [...words.subarray(2)].flatMap((type, member) => memberOf(module, { variable, member, type }, words[1]));
  });
  // The position comes first, as readers look for it.
  return sources.sort((one, other) =>
    Number(other.name === BUILT_INS[POSITION]) - Number(one.name === BUILT_INS[POSITION])
  );
}

/** A member of an output block; built-ins besides the position only if the shader names them. */
function memberOf(module: SpirvModule, place: Pick<Source, "variable" | "type"> & { member: number }, struct: number) {
  const builtIn = module.decorationOf(struct, DECORATION.builtIn, place.member);
  if (builtIn === undefined) return [{ ...place, name: namedOutput(module, place.variable, struct, place.member) }];
  const isUsed = builtIn === POSITION ||
    module.code.some(([op, words]) =>
      (op === OP.accessChain || op === OP.inBoundsAccessChain) && words[3] === place.variable &&
      module.valueOf(words[4]) === place.member
    );
  return isUsed && BUILT_INS[builtIn] ? [{ ...place, name: BUILT_INS[builtIn] }] : [];
}

/** The name of an output with the letters that a layout may have. */
function namedOutput(module: SpirvModule, variable: number, struct = 0, member?: number): string {
  const name = module.nameOf(member === undefined ? variable : struct, member).replace(/\W/g, "_");
  const location = module.decorationOf(variable, DECORATION.location) ??
    (member === undefined ? undefined : module.decorationOf(struct, DECORATION.location, member));
  return name || `location${location ?? 0}`;
}

function leavesOf(module: SpirvModule, type: number, path: readonly number[] = []): Leaf[] {
  const [op, words] = module.declared(type) ?? [0, new Uint32Array()];
  const inside = (each: number, count: number) => {
    if (count > MOST_LEAVES) throw new TypeError(`an output of the shader has ${count} parts`);
    return Array.from({ length: count }, (_, at) => leavesOf(module, each, [...path, at])).flat();
  };
  if (op === OP.typeInt || op === OP.typeFloat) {
    return [{ path, type, scalar: type, count: 1, words: wordsIn(words[2]) }];
  }
  if (op === OP.typeVector) {
    const [, scalar] = module.declared(words[2])!;
    return [{ path, type, scalar: words[2], count: words[3], words: wordsIn(scalar[2]) }];
  }
  if (op === OP.typeMatrix) return inside(words[2], words[3]);
  const length = op === OP.typeArray ? module.valueOf(words[3]) : undefined;
  if (length !== undefined) return inside(words[2], length);
  throw new TypeError("an output of the shader is a struct, or an array whose length is not fixed");
}

function wordsIn(bits: number): number {
  if (bits === 32 || bits === 64) return bits / 32;
  throw new TypeError(`the shader has outputs of ${bits} bits`);
}

/** The type of a layout, and the number of elements. */
function textOf(module: SpirvModule, type: number): Pick<VertexOutput, "type" | "elements"> {
  const [op, words] = module.declared(type)!;
  if (op === OP.typeArray) {
    const inner = textOf(module, words[2]);
    return { ...inner, elements: inner.elements * module.valueOf(words[3])! };
  }
  if (op === OP.typeMatrix) {
    const [, [, , scalar, rows]] = module.declared(words[2])!, isLong = module.declared(scalar)![1][2] === 64;
    const text = `mat${words[3]}${words[3] === rows ? "" : `x${rows}`}`;
    return isLong ? { type: "double", elements: words[3] * rows } : { type: text, elements: 1 };
  }
  const isVector = op === OP.typeVector, [kind, scalar] = isVector ? module.declared(words[2])! : [op, words];
  const name = kind === OP.typeFloat ? scalar[2] === 64 ? "double" : "float" : scalar[3] === 0 ? "uint" : "int";
  const longs = { uint: "ulong", int: "long", float: "float", double: "double" };
  const prefix = { float: "", double: "d", int: "i", uint: "u" }[name];
  if (kind === OP.typeInt && scalar[2] === 64) return { type: longs[name], elements: isVector ? words[3] : 1 };
  return { type: isVector ? `${prefix}vec${words[3]}` : name, elements: 1 };
}

/** Has transform feedback write the outputs. */
function feed(module: SpirvModule, entry: number, placed: Placed, stride: number): void {
  if (stride > MOST_STRIDE) {
    throw new TypeError(`a vertex has ${stride} bytes of outputs, more than transform feedback takes`);
  }
  const { feedbackBuffer, feedbackStride, offset: OFFSET, stream } = DECORATION;
  const structs = new Set(placed.map(({ source: { variable } }) => module.variable(variable)!.type));
  const isOld = ([op, words]: Instruction) => {
    const decoration = op === OP.decorate ? words[2] : op === OP.memberDecorate ? words[3] : undefined;
    if (decoration === undefined) return false;
    const isOutput = placed.some(({ source }) => source.variable === words[1]) || structs.has(words[1]);
    return decoration === feedbackBuffer || decoration === feedbackStride || decoration === stream ||
      decoration === OFFSET && isOutput;
  };
  module.code.splice(0, module.code.length, ...module.code.filter((each) => !isOld(each)));
  module.capability(TRANSFORM_FEEDBACK);
  module.mode(entry, XFB_MODE);
  for (const variable of new Set(placed.map(({ source }) => source.variable))) {
    module.decorate(variable, feedbackBuffer, 0);
    module.decorate(variable, feedbackStride, stride);
  }
  for (const { source: { variable, member }, offset } of placed) {
    if (member === undefined) module.decorate(variable, OFFSET, offset);
    else module.decorateMember(module.variable(variable)!.type, member, OFFSET, offset);
  }
}

/** Has a function around the entry point store the outputs: vertices that are not among those of the draw go behind them. */
function store(module: SpirvModule, entry: string, placed: Placed, stride: number, range: StoredRange): void {
  const { id, variables } = module.entry(VERTEX, entry), { bool, uint } = module.types;
  const int = module.type(OP.typeInt, 32, 1), buffer = module.addBuffer(range.set, 0);
  const inputs = [VERTEX_INDEX, INSTANCE_INDEX].map((builtIn) => module.builtIn(int, builtIn, variables));
  const body: Instruction[] = [];
  const make = (op: number, type: number, ...operands: readonly number[]) => {
    const result = module.id();
    body.push(instruction(op, type, result, ...operands));
    return result;
  };
  const behind = (input: number, first: number) => {
    const { type } = module.variable(input)!, loaded = make(OP.load, type, input);
    const plain = type === uint ? loaded : make(OP.bitcast, uint, loaded);
    return make(OP.subtract, uint, plain, module.constant(first));
  };
  const vertex = behind(inputs[0], range.first), instance = behind(inputs[1], range.firstInstance);
  const isIn = make(
    OP.logicalAnd,
    bool,
    make(OP.lessThan, bool, vertex, module.constant(range.count)),
    make(OP.lessThan, bool, instance, module.constant(range.instances)),
  );
  const row = make(OP.add, uint, make(OP.multiply, uint, instance, module.constant(range.count)), vertex);
  const slot = make(OP.select, uint, isIn, row, module.constant(range.count * range.instances));
  const start = make(OP.multiply, uint, slot, module.constant(stride));
  const words = module.pointer(STORAGE.storageBuffer, uint);
  const put = (value: number, at: number) => {
    const index = make(OP.add, uint, start, module.constant(at));
    body.push(instruction(OP.store, make(OP.accessChain, words, buffer, module.constant(0), index), value));
  };
  for (const { source, leaves, offset } of placed) {
    let at = offset / 4;
    for (const leaf of leaves) {
      for (const value of wordsOfLeaf(module, source, leaf, make)) put(value, at++);
    }
  }
  const wrapper = module.addCaller(id, body);
  module.replaceEntry(VERTEX, entry, wrapper, [...inputs, buffer]);
}

/** The words of a scalar or vector, as values of the shader. */
function wordsOfLeaf(
  module: SpirvModule,
  { variable, member }: Source,
  { path, type, scalar, count, words }: Leaf,
  make: (op: number, type: number, ...operands: readonly number[]) => number,
): number[] {
  const { uint } = module.types, indices = [...member === undefined ? [] : [member], ...path];
  const place = indices.length === 0 ? variable : make(
    OP.accessChain,
    module.pointer(STORAGE.output, type),
    variable,
    ...indices.map((each) => module.constant(each)),
  );
  const whole = make(OP.load, type, place);
  return Array.from({ length: count }, (_, at) => {
    const value = type === scalar ? whole : make(OP.compositeExtract, scalar, whole, at);
    if (words === 1) return [scalar === uint ? value : make(OP.bitcast, uint, value)];
    const pair = make(OP.bitcast, module.type(OP.typeVector, uint, 2), value);
    return [0, 1].map((half) => make(OP.compositeExtract, uint, pair, half));
  }).flat();
}
