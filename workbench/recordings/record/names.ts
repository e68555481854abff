import { hexadecimal } from "../../../loader/layers/shipped/trace/value.ts";

/** Types whose handles a program gets from queries, which are not all recorded. */
const GOT: ReadonlySet<string> = new Set(["VkPhysicalDevice", "VkDisplayKHR", "VkDisplayModeKHR"]);
/** A handle whose creation was not seen. */
const UNKNOWN = /^(Vk\w+)\?0x[0-9a-f]+$/;

/** The names of handles: a type and an increasing number. */
export class HandleNames {
  /** Drivers may return the same handle for two objects with equal contents. */
  readonly #names = new Map<string, string[]>();
  readonly #counts = new Map<string, number>();
  readonly #handles = new Map<string, bigint>();
  /** The names of objects that belong to another, by that one's name and by their handles. */
  readonly #owned = new Map<string, Map<string, string>>();

  /** Names a new object; `null` for the null handle. */
  add(type: string, handle: bigint): string | null {
    if (handle === 0n) return null;
    const number = (this.#counts.get(type) ?? 0) + 1, name = `${type}#${number}`, key = keyOf(type, handle);
    this.#counts.set(type, number);
    this.#handles.set(name, handle);
    const known = this.#names.get(key);
    if (known) known.push(name);
    else this.#names.set(key, [name]);
    return name;
  }

  /** Returns the name of an object that a command returned; a new name for an unknown object. */
  got(type: string, handle: bigint): string | null {
    return this.#names.get(keyOf(type, handle))?.at(-1) ?? this.add(type, handle);
  }

  /**
   * Returns the name of an object that belongs to another, as an image to its swapchain. Where two owners have the same
   * handle, the older object is gone: a retired swapchain gives its images back before it is destroyed.
   */
  gotFrom(owner: string, type: string, handle: bigint): string | null {
    const owned = this.#owned.get(owner) ?? new Map<string, string>(), key = keyOf(type, handle);
    const name = owned.get(key) ?? this.add(type, handle);
    if (name !== null) this.#owned.set(owner, owned.set(key, name));
    return name;
  }

  /** Returns the name of a handle in use. A handle whose creation was not seen has its value instead of a number. */
  of(type: string, handle: bigint): string | null {
    if (GOT.has(type) || handle === 0n) return this.got(type, handle);
    return this.#names.get(keyOf(type, handle))?.at(-1) ?? `${type}?${hexadecimal(handle)}`;
  }

  /** Returns the handle of a name; `undefined` for a name that was removed. */
  handleOf(name: string): bigint | undefined {
    return this.#handles.get(name);
  }

  /** Forgets an object, and what belongs to the object, before its destruction. */
  remove(type: string, handle: bigint): void {
    const key = keyOf(type, handle), name = this.#names.get(key)?.at(-1);
    if (name === undefined) return;
    this.#forget(key, name);
    for (const [own, each] of this.#owned.get(name) ?? []) this.#forget(own, each);
    this.#owned.delete(name);
  }

  /** Forgets an object that belongs to no other, by its name. */
  end(name: string): void {
    const handle = this.#handles.get(name);
    if (handle !== undefined) this.#forget(keyOf(name.slice(0, name.indexOf("#")), handle), name);
  }

  #forget(key: string, name: string): void {
    this.#handles.delete(name);
    const left = (this.#names.get(key) ?? []).filter((each) => each !== name);
    if (left.length > 0) this.#names.set(key, left);
    else this.#names.delete(key);
  }
}

/** Returns the types of objects in arguments whose creation was not seen. */
export function unknownIn(value: unknown, found: string[] = []): string[] {
  if (typeof value === "string") {
    const type = UNKNOWN.exec(value)?.[1];
    if (type && !found.includes(type)) found.push(type);
  } else if (typeof value === "object" && value !== null) {
    for (const each of Object.values(value)) unknownIn(each, found);
  }
  return found;
}

function keyOf(type: string, handle: bigint): string {
  return `${type} ${handle}`;
}
