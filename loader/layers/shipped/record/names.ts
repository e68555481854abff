import { hexadecimal } from "../trace/value.ts";

/** What a program gets from queries, which are not all recorded. */
const GOT: ReadonlySet<string> = new Set(["VkPhysicalDevice", "VkDisplayKHR", "VkDisplayModeKHR"]);
/** A handle in the text of a line that was not seen being made. */
const UNKNOWN = /"(Vk\w+)\?(0x[0-9a-f]+)"/g;

/** The names of handles: a type and a number that counts up. */
export class HandleNames {
  /** Drivers may give the same handle again for an object that is just like another. */
  readonly #names = new Map<string, string[]>();
  readonly #counts = new Map<string, number>();

  /** Names an object that was just made; `null` for the null handle. */
  add(type: string, handle: bigint): string | null {
    if (handle === 0n) return null;
    const number = (this.#counts.get(type) ?? 0) + 1, name = `${type}#${number}`, key = keyOf(type, handle);
    this.#counts.set(type, number);
    const known = this.#names.get(key);
    if (known) known.push(name);
    else this.#names.set(key, [name]);
    return name;
  }

  /** The name of an object that was handed out; it is new if it was not known. */
  got(type: string, handle: bigint): string | null {
    return this.#names.get(keyOf(type, handle))?.at(-1) ?? this.add(type, handle);
  }

  /** The name of a handle that is used. One that was not seen being made has no number but its value. */
  of(type: string, handle: bigint): string | null {
    if (GOT.has(type) || handle === 0n) return this.got(type, handle);
    return this.#names.get(keyOf(type, handle))?.at(-1) ?? `${type}?${hexadecimal(handle)}`;
  }

  /** Forgets an object that is going. */
  remove(type: string, handle: bigint): void {
    const key = keyOf(type, handle), known = this.#names.get(key);
    known?.pop();
    if (known?.length === 0) this.#names.delete(key);
  }
}

/** The types of which a line uses objects that were not seen being made. */
export function unknownIn(text: string): string[] {
  return [...new Set([...text.matchAll(UNKNOWN)].map(([, type]) => type))];
}

function keyOf(type: string, handle: bigint): string {
  return `${type} ${handle}`;
}
