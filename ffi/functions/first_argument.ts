import { NativeBlock } from "../block.ts";
import { CHOICE } from "../emit/layout.ts";
import { emitterForThisMachine, type Image, loadEmitted } from "../image/image.ts";

/** A function of one or two integers that calls one of two functions, depending on the first argument. */
export interface Choice {
  readonly name: string;
  /** The first argument, 32 bits, that leads to `own`. */
  readonly value: number;
  /** Addresses of functions of the same signature. */
  readonly own: bigint;
  readonly other: bigint;
}

/** Functions that any thread may call; see {@linkcode Choice}. */
export class Choices implements Disposable {
  readonly #image: Image;
  readonly #records: NativeBlock;

  private constructor(image: Image, records: NativeBlock) {
    this.#image = image;
    this.#records = records;
  }

  /** Makes the functions, whose names must differ; returns `undefined` where emitted code cannot be used. */
  static make(choices: readonly Choice[]): Choices | undefined {
    const emitter = emitterForThisMachine();
    if (!emitter) return;
    const slots = choices.map(({ name, value }) => {
      const slot = emitter.code.reserve();
      emitter.choice(name, { slot, value });
      return slot;
    });
    const image = loadEmitted(emitter);
    if (!image) return;
    const records = new NativeBlock(CHOICE.size * choices.length);
    choices.forEach(({ own, other }, index) => {
      const at = CHOICE.size * index;
      records.view.setBigUint64(at + CHOICE.own, own, true);
      records.view.setBigUint64(at + CHOICE.other, other, true);
      image.data.setBigUint64(slots[index], records.address + BigInt(at), true);
    });
    return new Choices(image, records);
  }

  /** The address of a function. Throws a `RangeError` if no function has the name. */
  address(name: string): bigint {
    return this.#image.address(name);
  }

  /** Frees the functions. None of them may be called afterwards. */
  [Symbol.dispose](): void {
    this.#image.unload();
    this.#records.close();
  }
}
