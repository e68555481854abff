import { obstacleAt, readWhole, replaceFile } from "../../ffi/file/whole_file.ts";
import {
  type BlobCache,
  type BlobCacheCounts,
  type BlobCacheLimits,
  type BlobCacheMode,
  noCounts,
} from "./blob_cache.ts";
import { cacheChecksum } from "./checksum.ts";
import { type Entry, isTooLarge, RecentEntries } from "./lru.ts";

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

/** Options of a cache in one file. */
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

/** Returns why a path's file must stay, a sentence without a full stop: only caches and empty files are replaced. */
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

/** "EGL$" and "_Bb$", as little-endian words. */
const FILE_MAGIC = 0x244c4745, CACHE_MAGIC = 0x5f426224;
const CACHE_VERSION = 3, DEVICE_VERSION = 1;
/** Byte offsets in the file: the magic, the checksum of all that follows it, and what follows. */
const CHECKSUM = 4, PAYLOAD = 8;
/** Byte offsets in what follows; the header's size counts, where the build's name begins does not. */
const COUNT = 16, BUILD_LENGTH = 24, BUILD = 28, HEADER = 32, ENTRY_HEADER = 16;

const aligned = (size: number) => (size + 3) & ~3;

/** The file Android keeps a cache in: all entries, sorted by size and then by bytes, for one build of the system. */
export function encodeCacheFile(entries: Iterable<Entry>, buildId: string): Uint8Array<ArrayBuffer> {
  const build = new TextEncoder().encode(buildId), sorted = [...entries].sort(byKey);
  const start = aligned(HEADER + build.length);
  const sizes = sorted.map(({ key, value }) => aligned(ENTRY_HEADER + key.length + value.length));
  const file = new Uint8Array(PAYLOAD + start + sizes.reduce((sum, size) => sum + size, 0));
  const payload = file.subarray(PAYLOAD), view = new DataView(file.buffer, PAYLOAD);
  view.setUint32(0, CACHE_MAGIC, true);
  view.setUint32(4, CACHE_VERSION, true);
  view.setUint32(8, DEVICE_VERSION, true);
  view.setBigUint64(COUNT, BigInt(sorted.length), true);
  view.setInt32(BUILD_LENGTH, build.length, true);
  payload.set(build, BUILD);
  let at = start;
  sorted.forEach(({ key, value }, index) => {
    view.setBigUint64(at, BigInt(key.length), true);
    view.setBigUint64(at + 8, BigInt(value.length), true);
    payload.set(key, at + ENTRY_HEADER);
    payload.set(value, at + ENTRY_HEADER + key.length);
    at += sizes[index];
  });
  const head = new DataView(file.buffer);
  head.setUint32(0, FILE_MAGIC, true);
  head.setUint32(CHECKSUM, cacheChecksum(payload), true);
  return file;
}

/** Whether a file may be replaced by a cache, by its first bytes: it is a cache, or it is empty. */
function isCacheStart(start: Uint8Array<ArrayBuffer>): boolean {
  return start.length === 0 || start.length >= 4 && viewOf(start).getUint32(0, true) === FILE_MAGIC;
}

function byKey({ key: one }: Entry, { key: other }: Entry): number {
  if (one.length !== other.length) return one.length - other.length;
  const index = one.findIndex((byte, at) => byte !== other[at]);
  return index < 0 ? 0 : one[index] - other[index];
}

/**
 * The entries of such a file, or the reason why it is not trusted, as a
 * sentence without a full stop. A file with any fault counts as a whole as
 * wrong.
 */
export function decodeCacheFile(file: Uint8Array<ArrayBuffer>, buildId: string): Entry[] | string {
  const head = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < PAYLOAD || head.getUint32(0, true) !== FILE_MAGIC) return "it is no EGL cache";
  const payload = file.subarray(PAYLOAD);
  if (head.getUint32(CHECKSUM, true) !== cacheChecksum(payload)) return "its checksum is wrong";
  return headerFault(payload, buildId) ?? decodeEntries(payload);
}

function headerFault(payload: Uint8Array<ArrayBuffer>, buildId: string): string | undefined {
  if (payload.length < HEADER) return "it ends inside its header";
  const view = viewOf(payload), length = view.getInt32(BUILD_LENGTH, true);
  if (view.getUint32(0, true) !== CACHE_MAGIC) return "it holds no cache";
  if (view.getUint32(4, true) !== CACHE_VERSION) return `it has version ${view.getUint32(4, true)}, not 3`;
  if (view.getUint32(8, true) !== DEVICE_VERSION) return "it is of another device version";
  if (length < 0 || HEADER + length > payload.length) return "it ends inside its build's name";
  const build = new TextDecoder().decode(payload.subarray(BUILD, BUILD + length));
  return build === buildId ? undefined : "it is of another build of the system";
}

function decodeEntries(payload: Uint8Array<ArrayBuffer>): Entry[] | string {
  const view = viewOf(payload), count = view.getBigUint64(COUNT, true), entries: Entry[] = [];
  let at = aligned(HEADER + view.getInt32(BUILD_LENGTH, true));
  for (let index = 0n; index < count; index++) {
    if (at + ENTRY_HEADER > payload.length) return "it ends before its last entry";
    const keySize = view.getBigUint64(at, true), valueSize = view.getBigUint64(at + 8, true);
    const start = at + ENTRY_HEADER, left = BigInt(payload.length - start);
    if (keySize > left || valueSize > left - keySize) return "an entry is larger than it";
    const middle = start + Number(keySize), end = middle + Number(valueSize);
    entries.push({ key: payload.slice(start, middle), value: payload.slice(middle, end) });
    at = aligned(end);
  }
  return entries;
}

function viewOf(bytes: Uint8Array<ArrayBuffer>): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
