import type { Fields } from "../record/line.ts";
import { type Home, type MemoryBindings, sharedRange } from "../state_tracker/memory_bindings.ts";
import { after, before, brackets, type Node, Unscriptable } from "./node.ts";
import { LONG, textBytes, wholeText, wordList, wordsIn } from "./numbers.ts";
import type { Variables } from "./variables.ts";

const WORD = 4;

/** Bytes that a program wrote into memory. */
interface Written {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Writes what a program wrote into memory into the buffers that are there. */
export class HostMemory {
  readonly #variables: Variables;
  readonly #bytesOf: (content: unknown) => Uint8Array;
  readonly #bindings: MemoryBindings;
  readonly #written = new Map<string, Written[]>();

  /** `bindings` are those of the state tracker, which has noted each line before. */
  constructor(variables: Variables, bytesOf: (content: unknown) => Uint8Array, bindings: MemoryBindings) {
    this.#variables = variables;
    this.#bytesOf = bytesOf;
    this.#bindings = bindings;
  }

  /** Returns the statements that write what is in the memory of a buffer or an image that was bound to it. */
  bound({ buffer, memory }: Fields): Node[] {
    this.#checkImages(memory);
    const home = buffer && this.#bindings.of(buffer);
    return home ? (this.#written.get(memory) ?? []).flatMap((written) => this.#into(home, written)) : [];
  }

  /** Writes into all buffers that are there. */
  write(memory: string, offset: number, content: unknown): Node[] {
    const written = { offset, bytes: this.#bytesOf(content) };
    this.#written.set(memory, [...this.#written.get(memory) ?? [], written]);
    this.#checkImages(memory);
    return this.#bindings.in(memory).flatMap((home) => this.#into(home, written));
  }

  /** Each driver has its own layout of texels. */
  #checkImages(memory: string): void {
    if (this.#bindings.imagesIn(memory).size > 0 && this.#written.has(memory)) {
      throw new Unscriptable("the program writes into the memory of an image");
    }
  }

  #into(home: Home, { offset, bytes }: Written): Node[] {
    const range = sharedRange(home, offset, bytes.length), shift = home.start - offset;
    if (!range) return [];
    const { buffer, from, to } = range;
    return [written(this.#variables.of(buffer), from, bytes.subarray(from + shift, to + shift))];
  }
}

/** A statement that writes bytes into a buffer: as words or floats where they are some. */
function written(buffer: string, at: number, bytes: Uint8Array): Node {
  if (bytes.length >= LONG) return setting(`${buffer}.bytes`, textBytes(bytes), at);
  if (at % WORD !== 0 || bytes.length % WORD !== 0) {
    return setting(`${buffer}.bytes`, brackets([...bytes].map(wholeText), true), at);
  }
  const words = wordsIn(bytes), { isFloat, list } = wordList(words), first = at / WORD;
  const isUniform = !isFloat && words.length > 1 && words.every((word) => word === words[0]);
  if (isUniform) return `${buffer}.words.fill(${wholeText(words[0])}, ${first}, ${first + words.length});`;
  return setting(`${buffer}.${isFloat ? "floats" : "words"}`, list, first);
}

function setting(place: string, node: Node, at: number): Node {
  return before(after(`${place}.set(`, node), at === 0 ? ");" : `, ${at});`);
}
