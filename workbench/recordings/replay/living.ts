import { Children } from "./children.ts";
import { Addresses } from "./addresses.ts";
import { NameSet } from "./name_set.ts";
import type { Meaning } from "./parse.ts";

/** A handle for all objects, because checking calls nothing. */
const SOME = 1n;
const NAME = /^(Vk\w+)#\d+$/;

/** The objects that exist at some line of a recording, and the state of its command buffers. */
export class Living implements Meaning {
  /** Returns the bytes of a hash. */
  readonly data: Meaning["data"];
  /** The objects that have an address: the recorded one, because nothing is elsewhere yet. */
  readonly addresses: Addresses = new Addresses();
  readonly #living = new Set<string>();
  readonly #gone = new NameSet();
  readonly #children = new Children();
  readonly #begun = new Map<string, boolean>();
  readonly #sizes = new Map<string, bigint>();

  /** `data` returns bytes, and throws if they are missing. */
  constructor(data: Meaning["data"]) {
    this.data = data;
  }

  /** Throws a `TypeError` unless a name is that of a live object. */
  handle(type: string, name: unknown): bigint {
    if (!isNameOf(type, name)) throw new TypeError(`${JSON.stringify(name)} is no name of a ${type}`);
    if (this.#living.has(name) || type === "VkPhysicalDevice") return SOME;
    if (this.#gone.has(name)) throw new TypeError(`${name} was destroyed before`);
    throw new TypeError(`no line before makes ${name}`);
  }

  /** Families are not checked. */
  family(index: number): number {
    return index;
  }

  /** Notes a new object, and the objects with which it ends. */
  add(name: string, parents: readonly (string | undefined)[]): void {
    this.#living.add(name);
    this.#gone.delete(name);
    this.#begun.delete(name);
    this.#children.add(name, parents);
  }

  /** Notes how many bytes a buffer has. */
  sized(buffer: string, size: bigint): void {
    this.#sizes.set(buffer, size);
  }

  /** Notes the address that the program got of an object. */
  addressed(name: string, address: bigint): void {
    this.addresses.add(name, address, this.#sizes.get(name) ?? 1n, address);
  }

  /** Notes the destruction of an object. Returns what ends with it. */
  remove(name: string): readonly string[] {
    return this.#end(this.#children.remove(name));
  }

  /** Notes the destruction of everything that belongs to a pool or device. Returns that. */
  empty(name: string): readonly string[] {
    return this.#end(this.#children.empty(name));
  }

  #end(names: readonly string[]): readonly string[] {
    for (const name of names) {
      this.#living.delete(name);
      this.#begun.delete(name);
      this.addresses.forget(name);
      this.#sizes.delete(name);
      this.#gone.add(name);
    }
    return names;
  }

  /** Notes that a command buffer is begun, or ended. */
  begin(commandBuffer: string, begun: boolean): void {
    this.#begun.set(commandBuffer, begun);
  }

  /** Throws a `TypeError` unless a command buffer was begun and not ended, or the reverse. */
  expect(commandBuffer: string, begun: boolean): void {
    if (this.#begun.get(commandBuffer) === begun) return;
    throw new TypeError(`${commandBuffer} is not ${begun ? "begun" : "ended"} here`);
  }
}

/** Whether a value is a name of an object of a type. */
export function isNameOf(type: string, name: unknown): name is string {
  return typeof name === "string" && NAME.exec(name)?.[1] === type;
}
