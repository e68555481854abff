import type { Meaning } from "./parse.ts";

/** A handle that stands for all: while checking, nothing is called. */
const SOME = 1n;
const NAME = /^(Vk\w+)#\d+$/;

/** The objects that there would be at some line of a recording, and the state of its command buffers. */
export class Living implements Meaning {
  /** The bytes of a hash. */
  readonly data: Meaning["data"];
  readonly #living = new Set<string>();
  readonly #gone = new Set<string>();
  /** What goes with what. */
  readonly #children = new Map<string, Set<string>>();
  readonly #begun = new Map<string, boolean>();

  /** `data` finds bytes, and throws where they are not there. */
  constructor(data: Meaning["data"]) {
    this.data = data;
  }

  /** Throws a `TypeError` unless a name is that of an object that is there. */
  handle(type: string, name: unknown): bigint {
    if (!isNameOf(type, name)) throw new TypeError(`${JSON.stringify(name)} is no name of a ${type}`);
    if (this.#gone.has(name)) throw new TypeError(`${name} was destroyed before`);
    if (this.#living.has(name) || type === "VkPhysicalDevice") return SOME;
    throw new TypeError(`no line before makes ${name}`);
  }

  /** Families are not looked at. */
  family(index: number): number {
    return index;
  }

  /** Takes note of something that is made, and of what it goes with. */
  add(name: string, parents: readonly (string | undefined)[]): void {
    this.#living.add(name);
    this.#gone.delete(name);
    this.#begun.delete(name);
    for (const parent of parents) {
      if (parent === undefined) continue;
      const known = this.#children.get(parent);
      if (known) known.add(name);
      else this.#children.set(parent, new Set([name]));
    }
  }

  /** Takes note of something that is destroyed. */
  remove(name: string): void {
    this.#living.delete(name);
    this.#gone.add(name);
    this.empty(name);
  }

  /** Takes note that what came from a pool, or a device, is destroyed. */
  empty(name: string): void {
    const children = this.#children.get(name) ?? [];
    this.#children.delete(name);
    for (const child of children) if (this.#living.has(child)) this.remove(child);
  }

  /** Takes note that a command buffer is begun, or ended. */
  begin(commandBuffer: string, begun: boolean): void {
    this.#begun.set(commandBuffer, begun);
  }

  /** Throws a `TypeError` unless a command buffer was begun and not ended, or the other way round. */
  expect(commandBuffer: string, begun: boolean): void {
    if (this.#begun.get(commandBuffer) === begun) return;
    throw new TypeError(`${commandBuffer} is not ${begun ? "begun" : "ended"} here`);
  }
}

/** Whether something is a name of an object of a type. */
export function isNameOf(type: string, name: unknown): name is string {
  return typeof name === "string" && NAME.exec(name)?.[1] === type;
}
