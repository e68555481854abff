import { type BlobCache, type BlobCacheCounts, type BlobCacheLimits, noCounts } from "./blob_cache.ts";
import { entryHash } from "./checksum.ts";
import { isTooLarge, RecentEntries } from "./lru.ts";
import { encodeEntry, ENTRY_HEADER, MultifileFolder } from "./multifile_folder.ts";

/** The limits of Android's cache of many files, unless a property sets other limits. */
export const MULTIFILE_LIMITS: BlobCacheLimits = { key: 1 << 20, value: 8 << 20, total: 32 << 20, entries: 4096 };

/** Options of a cache of many files. */
export interface MultifileOptions {
  /** The folder. */
  readonly folder: string;
  /** The system's build: the files of another are removed. */
  readonly buildId: string;
  /** The version of the cached values. Default 1. */
  readonly version?: number;
  /** The limits of the cache. */
  readonly limits?: BlobCacheLimits;
  /** Called with what is wrong with the folder. */
  readonly say?: (message: string) => void;
}

/** The known properties of an entry. */
interface Known {
  readonly size: number;
  /** The time of the last use in this process, in milliseconds; 0 without one. */
  used: number;
}

/**
 * A cache with a file for each entry, listed at the first use, read when asked
 * for, written at once. When it is full, those used longest ago make room,
 * until it is at most half full; Android takes any, and forgets to forget them.
 */
export class MultifileCache implements BlobCache {
  readonly mode = "multifile";
  readonly limits: BlobCacheLimits;
  readonly #options: MultifileOptions;
  readonly #folder: MultifileFolder;
  readonly #counts = noCounts();
  /** By hash, those used longest ago first. */
  readonly #known = new Map<number, Known>();
  /** Read or written in this process, as far as there is room. */
  readonly #hot = new RecentEntries();
  #bytes = 0;
  #state: "unread" | "open" | "closed" = "unread";

  /** Opens a cache; the folder is not looked at yet. */
  constructor(options: MultifileOptions) {
    this.#options = options;
    this.limits = options.limits ?? MULTIFILE_LIMITS;
    this.#folder = new MultifileFolder(options.folder);
  }

  get counts(): BlobCacheCounts {
    return { ...this.#counts };
  }

  get entries(): number {
    this.#read();
    return this.#known.size;
  }

  get bytes(): number {
    this.#read();
    return this.#bytes;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.#read();
    const hash = entryHash(key), value = this.#known.has(hash) ? this.#find(hash, key) : undefined;
    this.#counts[value ? "hits" : "misses"]++;
    return value;
  }

  set(key: Uint8Array, value: Uint8Array): void {
    this.#read();
    if (this.#state === "closed") return;
    const { limits } = this, size = ENTRY_HEADER + key.length + value.length;
    if (isTooLarge(key, value, limits) || size > limits.total || limits.entries < 1) {
      this.#counts.rejected++;
      return;
    }
    const hash = entryHash(key);
    this.#forget(hash);
    if (this.#bytes + size > limits.total || this.#known.size + 1 > limits.entries) this.#trim(size);
    if (!this.#write(hash, encodeEntry({ key, value }))) return;
    this.#known.set(hash, { size, used: Date.now() });
    this.#bytes += size;
    this.#heat(key, value);
    this.#counts.stored++;
  }

  /** Every entry is in its file already; only the times of last use are written. */
  save(): void {
    for (const [hash, known] of this.#known) {
      if (known.used > 0) this.#folder.touch(hash, known.used);
      known.used = 0;
    }
  }

  close(): void {
    if (this.#state === "closed") return;
    this.save();
    this.#state = "closed";
    this.#known.clear();
    this.#hot.clear();
    this.#bytes = 0;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Two keys may share a hash: only the last one's value is kept then. */
  #find(hash: number, key: Uint8Array): Uint8Array | undefined {
    const hot = this.#hot.use(key), { key: mostKey, value: mostValue } = this.limits;
    if (hot) return this.#used(hash, hot);
    const entry = this.#folder.read(hash, ENTRY_HEADER + mostKey + mostValue);
    if (!entry) this.#forget(hash);
    if (!entry || !isSame(entry.key, key)) return undefined;
    this.#heat(entry.key, entry.value);
    return this.#used(hash, entry.value);
  }

  #used(hash: number, value: Uint8Array): Uint8Array {
    const { size } = this.#known.get(hash)!;
    this.#known.delete(hash);
    this.#known.set(hash, { size, used: Date.now() });
    return value;
  }

  #heat(key: Uint8Array, value: Uint8Array): void {
    this.#hot.put(key, value);
    this.#hot.shrink(this.limits.key + this.limits.value + ENTRY_HEADER);
  }

  #forget(hash: number): void {
    const known = this.#known.get(hash);
    if (!known) return;
    this.#known.delete(hash);
    this.#bytes -= known.size;
  }

  #write(hash: number, file: Uint8Array): boolean {
    try {
      this.#folder.write(hash, file);
      return true;
    } catch (error) {
      this.#folder.remove(hash);
      this.#say(`cannot be written to: ${(error as Error).message}; its entries are lost`);
      return false;
    }
  }

  /** Makes room for so many bytes. */
  #trim(size: number): void {
    const { total, entries } = this.limits, bytes = Math.min(total / 2, total - size), most = Math.floor(entries / 2);
    for (const hash of this.#known.keys()) {
      if (this.#bytes <= bytes && this.#known.size <= most) return;
      this.#forget(hash);
      this.#folder.remove(hash);
      this.#counts.evicted++;
    }
  }

  #read(): void {
    if (this.#state !== "unread") return;
    this.#state = "open";
    const { version = 1, buildId } = this.#options;
    try {
      const files = this.#folder.open(version, buildId, (why) => this.#say(`is emptied: ${why}`));
      for (const { hash, size } of files) this.#known.set(hash, { size, used: 0 });
      this.#bytes = files.reduce((sum, { size }) => sum + size, 0);
      if (this.#bytes > this.limits.total || this.#known.size > this.limits.entries) this.#trim(0);
    } catch (error) {
      this.#say(`cannot be used: ${(error as Error).message}; nothing is cached`);
      this.close();
    }
  }

  #say(what: string): void {
    this.#options.say?.(`The EGL cache in "${this.#options.folder}" ${what}`);
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
