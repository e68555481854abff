import { type BlobCacheLimits, mapKey } from "./blob_cache.ts";

/** A key and its value. */
export interface Entry {
  /** The key. */
  readonly key: Uint8Array;
  /** The value. */
  readonly value: Uint8Array;
}

/** Entries in the order in which they were last used, the oldest first. */
export class RecentEntries {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /** The number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Bytes of all keys and values. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns all entries, the oldest first. */
  values(): Iterable<Entry> {
    return this.#entries.values();
  }

  /** The value of a key, which is now the newest. */
  use(key: Uint8Array): Uint8Array | undefined {
    const name = mapKey(key), entry = this.#entries.get(name);
    if (!entry) return undefined;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry.value;
  }

  /** The value of a key; its age stays. */
  peek(key: Uint8Array): Uint8Array | undefined {
    return this.#entries.get(mapKey(key))?.value;
  }

  /** Puts in or replaces a value, which is now the newest. */
  put(key: Uint8Array, value: Uint8Array): void {
    this.delete(key);
    this.#entries.set(mapKey(key), { key, value });
    this.#bytes += key.length + value.length;
  }

  /** Removes a key and its value, if present. */
  delete(key: Uint8Array): void {
    const name = mapKey(key), entry = this.#entries.get(name);
    if (!entry) return;
    this.#entries.delete(name);
    this.#bytes -= entry.key.length + entry.value.length;
  }

  /** Takes the oldest out until no more than so many bytes are left; how many went. */
  shrink(bytes: number): number {
    const before = this.#entries.size;
    for (const { key } of this.#entries.values()) {
      if (this.#bytes <= bytes) break;
      this.delete(key);
    }
    return before - this.#entries.size;
  }

  /** Takes everything out. */
  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}

/** Whether a key and its value are never taken in. */
export function isTooLarge(key: Uint8Array, value: Uint8Array, limits: BlobCacheLimits): boolean {
  return key.length > limits.key || value.length > limits.value || key.length + value.length > limits.total;
}
