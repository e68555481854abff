import { instructionsOf } from "../compare/spirv.ts";

/** A variable of a shader's interface, or a member of a block. */
export interface ShaderVariable {
  /** The name in the source; empty where the compiler dropped it. */
  readonly name: string;
  /** The type, such as `"vec4"`, `"mat4"` or `"float[3]"`. */
  readonly type: string;
  /** The location of an input or output. */
  readonly location?: number;
  /** Bytes from the start of the block. */
  readonly offset?: number;
}

/** A descriptor that a shader declares. */
export interface ShaderDescriptor extends ShaderVariable {
  /** The number of the set. */
  readonly set: number;
  /** The number of the binding in the set. */
  readonly binding: number;
  /** The members of a block, with those of structs inside named `"outer.inner"`. */
  readonly members: readonly ShaderVariable[];
}

/** The interface of a shader, as its code declares it. */
export interface ShaderReflection {
  /** The inputs with locations. */
  readonly inputs: readonly ShaderVariable[];
  /** The outputs with locations. */
  readonly outputs: readonly ShaderVariable[];
  /** The descriptors, by set and binding. */
  readonly descriptors: readonly ShaderDescriptor[];
  /** The members of the block of push constants. */
  readonly pushConstants: readonly ShaderVariable[];
}

const OP = {
  name: 5,
  memberName: 6,
  constant: 43,
  variable: 59,
  decorate: 71,
  memberDecorate: 72,
  function: 54,
} as const;
const TYPE = {
  bool: 20,
  int: 21,
  float: 22,
  vector: 23,
  matrix: 24,
  image: 25,
  sampler: 26,
  sampledImage: 27,
  array: 28,
  runtimeArray: 29,
  struct: 30,
  pointer: 32,
  accelerationStructure: 5341,
} as const;
const DECORATION = { builtIn: 11, location: 30, binding: 33, set: 34, offset: 35 } as const;
const STORAGE = { input: 1, output: 3, pushConstant: 9 } as const;
/** Structs inside of structs that are followed, and members in all: a struct may claim to contain itself. */
const DEEPEST = 8, MOST = 10_000;

/** The declarations of a module by their ids. */
class Declarations {
  readonly names = new Map<number, string>();
  readonly memberNames = new Map<string, string>();
  readonly decorations = new Map<string, number>();
  readonly types = new Map<number, readonly number[]>();
  readonly constants = new Map<number, number>();
  #left = MOST;
  readonly variables: { readonly id: number; readonly type: number; readonly storage: number }[] = [];

  constructor(bytes: Uint8Array) {
    for (const [op, words] of instructionsOf(bytes)) {
      if (op === OP.function) return; // declarations come first
      if (op === OP.name) this.names.set(words[1], textAt(words, 2));
      else if (op === OP.memberName) this.memberNames.set(`${words[1]}.${words[2]}`, textAt(words, 3));
      else if (op === OP.decorate) this.decorations.set(`${words[1]} ${words[2]}`, words[3] ?? 0);
      else if (op === OP.memberDecorate) this.decorations.set(`${words[1]}.${words[2]} ${words[3]}`, words[4] ?? 0);
      else if (op === OP.constant) this.constants.set(words[2], words[3]);
      else if (op === OP.variable) this.variables.push({ type: words[1], id: words[2], storage: words[3] });
      else if (Object.values<number>(TYPE).includes(op)) this.types.set(words[1], [op, ...words.subarray(2)]);
    }
  }

  /** Returns the type behind a pointer, and behind an array of descriptors. */
  pointee(pointer: number): number {
    const [op, , type] = this.types.get(pointer) ?? [];
    return op === TYPE.pointer ? type : pointer;
  }

  text(id: number, depth = 0): string {
    const [op, one = 0, two = 0] = this.types.get(id) ?? [];
    if (depth > DEEPEST) return "?";
    const inner = () => this.text(one, depth + 1);
    switch (op) {
      case TYPE.bool:
        return "bool";
      case TYPE.int:
        return `${two ? "int" : "uint"}${one === 32 ? "" : one}`;
      case TYPE.float:
        return one === 64 ? "double" : one === 16 ? "float16" : "float";
      case TYPE.vector:
        return `${VECTORS[inner()] ?? `${inner()} `}vec${two}`;
      case TYPE.matrix:
        return `mat${two}${this.text(one, depth + 1).slice(-1) === `${two}` ? "" : `x${inner().slice(-1)}`}`;
      case TYPE.array:
        return `${inner()}[${this.constants.get(two) ?? "?"}]`;
      case TYPE.runtimeArray:
        return `${inner()}[]`;
      case TYPE.struct:
        return this.names.get(id) || "struct";
      default:
        return NAMES[op ?? 0] ?? "?";
    }
  }

  /** The members of a struct, with those of structs inside. */
  members(struct: number, prefix = "", base = 0, depth = 0): ShaderVariable[] {
    const [op, ...types] = this.types.get(struct) ?? [];
    if (op !== TYPE.struct || depth > DEEPEST) return [];
    return types.flatMap((type, index) => {
      if (this.#left-- <= 0) return [];
      const name = prefix + (this.memberNames.get(`${struct}.${index}`) || `member${index}`);
      const offset = base + (this.decorations.get(`${struct}.${index} ${DECORATION.offset}`) ?? 0);
      const inside = this.members(type, `${name}.`, offset, depth + 1);
      return inside.length > 0 ? inside : [{ name, type: this.text(type), offset }];
    });
  }
}

const VECTORS: Readonly<Record<string, string>> = {
  float: "",
  int: "i",
  uint: "u",
  bool: "b",
  double: "d",
  float16: "f16",
};
const NAMES: Readonly<Record<number, string>> = {
  [TYPE.image]: "image",
  [TYPE.sampler]: "sampler",
  [TYPE.sampledImage]: "sampled image",
  [TYPE.accelerationStructure]: "acceleration structure",
};

/** Returns what a shader declares, in the order of its locations, sets and bindings. Words that are no SPIR-V declare nothing. */
export function reflectionOf(bytes: Uint8Array): ShaderReflection {
  const all = new Declarations(bytes);
  const of = (id: number, decoration: number) => all.decorations.get(`${id} ${decoration}`);
  const inOut = (storage: number) =>
    all.variables.filter((each) => each.storage === storage && of(each.id, DECORATION.location) !== undefined)
      .map(({ id, type }) => ({
        name: all.names.get(id) ?? "",
        type: all.text(all.pointee(type)),
        location: of(id, DECORATION.location)!,
      })).sort((one, other) => one.location - other.location);
  const descriptors = all.variables.filter(({ id }) => of(id, DECORATION.binding) !== undefined).map(({ id, type }) => {
    const whole = all.pointee(type), [op, element] = all.types.get(whole) ?? [];
    const block = op === TYPE.array || op === TYPE.runtimeArray ? element : whole;
    return {
      name: all.names.get(id) || all.names.get(block) || "",
      type: all.text(whole),
      set: of(id, DECORATION.set) ?? 0,
      binding: of(id, DECORATION.binding)!,
      members: all.members(block),
    };
  });
  const pushed = all.variables.find(({ storage }) => storage === STORAGE.pushConstant);
  return {
    inputs: inOut(STORAGE.input),
    outputs: inOut(STORAGE.output),
    descriptors: descriptors.sort((one, other) => one.set - other.set || one.binding - other.binding),
    pushConstants: pushed ? all.members(all.pointee(pushed.type)) : [],
  };
}

function textAt(words: Uint32Array, from: number): string {
  const bytes = new Uint8Array(words.buffer, words.byteOffset + 4 * from, Math.max(0, 4 * (words.length - from)));
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}
