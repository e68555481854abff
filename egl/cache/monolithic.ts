import {
  type BlobCache,
  type BlobCacheCounts,
  type BlobCacheLimits,
  type BlobCacheMode,
  noCounts,
} from "./blob_cache.ts";
import { isTooLarge, RecentEntries } from "./lru.ts";
import { decodeCacheFile, encodeCacheFile, isCacheStart } from "./monolithic_file.ts";
import { obstacleAt, readWhole, replaceFile } from "../../ffi/file/whole_file.ts";

/** The limits of Android's cache in one file; entries are not limited. */
export const MONOLITHIC_LIMITS: BlobCacheLimits = {
  key: 12 << 10,
  value: 64 << 10,
  total: 2 << 20,
  entries: Infinity,
};
/** The file's mode. Nobody writes to the file: it is replaced. */
const MODE = 0o400;
/** Milliseconds from the first value to the writing of the file: most values of a start have come by then. */
const SAVE_DELAY = 4000;

/** How a cache in one file is opened. */
export interface MonolithicOptions {
  /** The file; `""` for a cache in memory. */
  readonly path: string;
  /** The system's build: the file of another is not trusted. */
  readonly buildId: string;
  /** The limits of the cache. */
  readonly limits?: BlobCacheLimits;
  /** Called with what is wrong with the file. */
  readonly say?: (message: string) => void;
}

/**
 * A cache in one file, read at the first use and written four seconds after the
 * first value. When it is full, those used longest ago make room, half of the
 * bytes at once; Android takes any.
 */
export class MonolithicCache implements BlobCache {
  readonly mode: BlobCacheMode;
  readonly limits: BlobCacheLimits;
  readonly #options: MonolithicOptions;
  readonly #counts = noCounts();
  readonly #recent = new RecentEntries();
  #state: "unread" | "open" | "closed" = "unread";
  #changed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Opens a cache; the file is not looked at yet. */
  constructor(options: MonolithicOptions) {
    this.#options = options;
    this.limits = options.limits ?? MONOLITHIC_LIMITS;
    this.mode = options.path === "" ? "memory" : "monolithic";
  }

  get counts(): BlobCacheCounts {
    return { ...this.#counts };
  }

  get entries(): number {
    this.#read();
    return this.#recent.size;
  }

  get bytes(): number {
    this.#read();
    return this.#recent.bytes;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.#read();
    const value = this.#recent.use(key);
    this.#counts[value ? "hits" : "misses"]++;
    return value;
  }

  set(key: Uint8Array, value: Uint8Array): void {
    this.#read();
    if (this.#state === "closed") return;
    if (!this.#take(key, value)) {
      this.#counts.rejected++;
      return;
    }
    this.#counts.stored++;
    this.#changed = true;
    this.#saveLater();
  }

  save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { path, buildId, say } = this.#options;
    if (!this.#changed || path === "") return;
    this.#changed = false;
    try {
      const objection = objectionTo(path);
      if (objection) throw new Error(objection);
      replaceFile(path, encodeCacheFile(this.#recent.values(), buildId), MODE);
    } catch (error) {
      say?.(`Cannot save the EGL cache to "${path}": ${(error as Error).message}; what is cached is lost`);
    }
  }

  close(): void {
    if (this.#state === "closed") return;
    this.save();
    this.#state = "closed";
    this.#recent.clear();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #take(key: Uint8Array, value: Uint8Array): boolean {
    const { limits } = this, old = this.#recent.peek(key);
    if (isTooLarge(key, value, limits) || key.length === 0 || value.length === 0) return false;
    const more = old ? value.length - old.length : key.length + value.length;
    if (this.#recent.bytes + more > limits.total && !this.#makeRoom(key, value)) return false;
    this.#recent.put(key, value);
    return true;
  }

  /** A cache that is at most half full is not emptied for one large value. */
  #makeRoom(key: Uint8Array, value: Uint8Array): boolean {
    const { total } = this.limits, half = Math.floor(total / 2);
    if (this.#recent.bytes <= half) return false;
    this.#counts.evicted += this.#recent.shrink(half);
    const old = this.#recent.peek(key), more = old ? value.length - old.length : key.length + value.length;
    return this.#recent.bytes + more <= total;
  }

  #saveLater(): void {
    if (this.#timer !== undefined || this.mode === "memory") return;
    const timer = setTimeout(() => this.save(), SAVE_DELAY);
    Deno.unrefTimer(timer);
    this.#timer = timer;
  }

  #read(): void {
    if (this.#state !== "unread") return;
    this.#state = "open";
    const { path, buildId, say } = this.#options;
    const file = path === "" ? undefined : readWhole(path, { most: 2 * this.limits.total, links: true });
    if (file === undefined) return;
    const entries = typeof file === "string" ? file : decodeCacheFile(file, buildId);
    if (typeof entries !== "string") return entries.forEach(({ key, value }) => this.#take(key, value));
    const rest = objectionTo(path)
      ? "it stays as it is, and nothing is kept; give another path"
      : "it will be replaced";
    say?.(`The EGL cache "${path}" is not used: ${entries}; ${rest}`);
  }
}

/** Why a path's file must stay, as a sentence without a full stop: only caches and empty files are replaced. */
function objectionTo(path: string): string | undefined {
  try {
    const obstacle = obstacleAt(path);
    return obstacle ?? (isCacheStart(startOf(path)) ? undefined : "it is no EGL cache, and is not replaced");
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? undefined : (error as Error).message;
  }
}

function startOf(path: string): Uint8Array<ArrayBuffer> {
  using file = Deno.openSync(path);
  const start = new Uint8Array(4);
  return start.subarray(0, file.readSync(start) ?? 0);
}
