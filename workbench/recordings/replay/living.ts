import { Addresses } from "./addresses.ts";
import type { RecordedCall } from "../record/line.ts";
import { Objects } from "../state_tracker/objects.ts";
import { Bounds } from "./bounds/bounds.ts";
import type { Meaning } from "./parse.ts";

/** A handle for all objects, because checking calls nothing. */
const SOME = 1n;
const NAME = /^(Vk\w+)#\d+$/;

/**
 * The meaning of a recording's values where nothing is called: a name means a living object. Of command buffers only
 * the state is kept, because a recording may have more commands than memory.
 */
export class Living implements Meaning {
  /** Returns the bytes of a hash. */
  readonly data: Meaning["data"];
  /** The objects that have an address: the recorded one, because nothing is elsewhere yet. */
  readonly addresses: Addresses = new Addresses();
  /** The bounds for the offsets, sizes and indices of calls, if they are looked at. */
  readonly bounds: Bounds | undefined;
  readonly #objects = new Objects();
  readonly #begun = new Map<string, boolean>();
  readonly #sizes = new Map<string, bigint>();

  /** `data` returns bytes, and throws if they are missing. */
  constructor(data: Meaning["data"], isMeasured: boolean) {
    this.data = data;
    this.bounds = isMeasured ? new Bounds((name) => this.#madeBy(name)) : undefined;
  }

  /** Throws a `TypeError` unless a name is that of a live object. */
  handle(type: string, name: unknown): bigint {
    if (!isNameOf(type, name)) throw new TypeError(`${JSON.stringify(name)} is no name of a ${type}`);
    if (this.#objects.has(name) || type === "VkPhysicalDevice") return SOME;
    if (this.#objects.hasEnded(name)) throw new TypeError(`${name} was destroyed before`);
    throw new TypeError(`no line before makes ${name}`);
  }

  /** Families are not checked. */
  family(index: number): number {
    return index;
  }

  /** Notes the objects that a call makes and ends. Returns those that end. */
  note(call: RecordedCall, index: number): readonly string[] {
    const ended = this.#objects.note(call, index);
    for (const name of ended) {
      this.#begun.delete(name);
      this.bounds?.forget(name);
      this.addresses.forget(name);
      this.#sizes.delete(name);
    }
    return ended;
  }

  #madeBy(name: string) {
    const call = this.#objects.get(name)?.call;
    return call && { call, info: this.#objects.info(name) };
  }

  /** Notes how many bytes a buffer has. */
  sized(buffer: string, size: bigint): void {
    this.#sizes.set(buffer, size);
  }

  /** Notes the address that the program got of an object. */
  addressed(name: string, address: bigint): void {
    this.addresses.add(name, address, this.#sizes.get(name) ?? 1n, address);
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
