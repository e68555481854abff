import { DECORATION, instruction, OP, SpirvModule, STORAGE } from "./capture/spirv_module.ts";

/** Instructions about images that are combined with samplers. */
const TYPE_SAMPLER = 26, TYPE_SAMPLED_IMAGE = 27, PARAMETER = 55, SAMPLED_IMAGE = 86;
/** The decoration of what a shader only writes. */
const NON_READABLE = 25;

/** A shader as naga takes it, with remarks on what is different. */
export interface NagaInput {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Sentences. */
  readonly remarks: readonly string[];
}

/**
 * Returns a shader without what naga and WGSL do not know: each image that is combined with a sampler becomes an image and
 * a sampler, and members of buffers that are only written may be read. Arrays of combined images stay what they are.
 *
 * @throws {TypeError} if the bytes are no SPIR-V.
 */
export function nagaInput(words: Uint8Array): NagaInput {
  const module = new SpirvModule(words), separating = new Separating(module), { code } = module;
  if (separating.isNeeded) separating.all();
  const isWritten = (op: number, each: Uint32Array) => op === OP.memberDecorate && each[3] === NON_READABLE;
  const kept = code.filter(([op, each]) => !isWritten(op, each)), isOpen = kept.length < code.length;
  code.splice(0, code.length, ...kept);
  const remarks = isOpen ? ["Members that the shader declares as writeonly are not told as such."] : [];
  return { bytes: module.bytes, remarks: [...separating.remarks, ...remarks] };
}

class Separating {
  readonly remarks: string[] = [];
  readonly #module: SpirvModule;
  /** The image types of pointers to combined images, by the pointers' types. */
  readonly #images = new Map<number, number>();
  /** The samplers of variables and parameters. */
  readonly #samplers = new Map<number, number>();

  constructor(module: SpirvModule) {
    this.#module = module;
    for (const [op, each] of module.code) {
      if (op !== OP.typePointer || each[2] !== STORAGE.uniformConstant) continue;
      const [kind, type] = module.declared(each[3]) ?? [];
      if (kind === TYPE_SAMPLED_IMAGE) this.#images.set(each[1], type![2]);
    }
  }

  get isNeeded(): boolean {
    return this.#images.size > 0;
  }

  all(): void {
    const { code } = this.#module, sampler = this.#module.type(TYPE_SAMPLER);
    const pointer = this.#module.pointer(STORAGE.uniformConstant, sampler);
    for (const each of code.filter(([op, words]) => op === OP.variable && this.#images.has(words[1]))) {
      this.#variable(each[1], pointer);
    }
    for (const [, words] of code.filter(([op]) => op === PARAMETER)) {
      if (this.#images.has(words[1])) this.#samplers.set(words[2], this.#module.id());
    }
    const types = this.#functionTypes(pointer);
    const changed = code.flatMap(([op, words]) => {
      if (op === PARAMETER && this.#samplers.has(words[2])) {
        const [, type, id] = words;
        return [instruction(op, this.#pointerTo(type), id), instruction(op, pointer, this.#samplers.get(id)!)];
      }
      if (op === OP.function && types.has(words[4])) {
        return [instruction(op, words[1], words[2], words[3], types.get(words[4])!)];
      }
      if (op === OP.functionCall) {
        return [
          instruction(op, ...words.subarray(1, 4), ...[...words.subarray(4)].flatMap((each) => this.#both(each))),
        ];
      }
      if (op === OP.load && this.#samplers.has(words[3])) return this.#loaded(words, sampler);
      return [[op, words] as const];
    });
    code.splice(0, code.length, ...changed);
  }

  #both(id: number): number[] {
    const sampler = this.#samplers.get(id);
    return sampler === undefined ? [id] : [id, sampler];
  }

  #pointerTo(type: number): number {
    return this.#module.pointer(STORAGE.uniformConstant, this.#images.get(type)!);
  }

  /** The variable becomes that of the image; the sampler gets the next binding that is free in the set. */
  #variable([, type, id]: Uint32Array, pointer: number): void {
    const module = this.#module, sampler = module.id(), own = this.#pointerTo(type);
    module.code.splice(module.code.findIndex(([op, words]) => op === OP.variable && words[2] === id), 1);
    module.declare(instruction(OP.variable, own, id, STORAGE.uniformConstant));
    module.declare(instruction(OP.variable, pointer, sampler, STORAGE.uniformConstant));
    const set = module.decorationOf(id, DECORATION.set) ?? 0, image = module.decorationOf(id, DECORATION.binding) ?? 0;
    const bindings = module.code.filter(([op, words]) => op === OP.decorate && words[2] === DECORATION.binding)
      .map(([, words]) => words[3]);
    const binding = Math.max(...bindings, 0) + 1;
    module.decorate(sampler, DECORATION.set, set);
    module.decorate(sampler, DECORATION.binding, binding);
    const name = module.nameOf(id);
    if (name !== "") module.giveName(sampler, `${name}_sampler`);
    this.remarks.push(
      `Binding ${binding} of set ${set} stands for the sampler that binding ${image} has with its image.`,
    );
    this.#samplers.set(id, sampler);
  }

  /** Types of functions that take combined images, with those that take both in their place. */
  #functionTypes(pointer: number): Map<number, number> {
    const found = this.#module.code.filter(([op, words]) =>
      op === OP.typeFunction && words.subarray(3).some((each) => this.#images.has(each))
    );
    return new Map(found.map(([op, words]) => {
      const parameters = [...words.subarray(3)].flatMap((each) =>
        this.#images.has(each) ? [this.#pointerTo(each), pointer] : [each]
      );
      return [words[1], this.#module.newType(op, words[2], ...parameters)];
    }));
  }

  #loaded([, type, id, from]: Uint32Array, samplerType: number) {
    const [, [, , image]] = this.#module.declared(type)!, [loaded, sampler] = [this.#module.id(), this.#module.id()];
    return [
      instruction(OP.load, image, loaded, from),
      instruction(OP.load, samplerType, sampler, this.#samplers.get(from)!),
      instruction(SAMPLED_IMAGE, type, id, loaded, sampler),
    ];
  }
}
