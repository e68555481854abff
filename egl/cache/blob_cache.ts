/** How a cache keeps what it is given: one file for all, a file for each, or not beyond the process. */
export type BlobCacheMode = "monolithic" | "multifile" | "memory";

/** What a cache may hold. */
export interface BlobCacheLimits {
  /** The most bytes of a key. */
  readonly key: number;
  /** The most bytes of a value. */
  readonly value: number;
  /** The most bytes of all, with their headers where each has a file. */
  readonly total: number;
  /** The most entries. */
  readonly entries: number;
}

/** What became of what a cache was asked. */
export interface BlobCacheCounts {
  /** Values found. */
  readonly hits: number;
  /** Values asked for and not there. */
  readonly misses: number;
  /** Values taken in. */
  readonly stored: number;
  /** Values turned away, because they are too large or empty. */
  readonly rejected: number;
  /** Values that made room for others. */
  readonly evicted: number;
}

/** The counts while they grow. */
export type Counting = { -readonly [Name in keyof BlobCacheCounts]: number };

/** Counts from nothing. */
export function noCounts(): Counting {
  return { hits: 0, misses: 0, stored: 0, rejected: 0, evicted: 0 };
}

/**
 * A cache of what drivers compile, as EGL_ANDROID_blob_cache wants it. It never
 * throws for what a file holds: a file that is not trusted is replaced.
 */
export interface BlobCache extends Disposable {
  /** How it keeps what it is given. */
  readonly mode: BlobCacheMode;
  /** What it may hold. */
  readonly limits: BlobCacheLimits;
  /** What became of what it was asked. */
  readonly counts: BlobCacheCounts;
  /** How many values it holds. */
  readonly entries: number;
  /** How many bytes it holds, as its limit counts them. */
  readonly bytes: number;
  /** The value of a key, `undefined` when it is not there. Not to be changed. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** Takes a value in. Both are kept as they are: not to be changed afterwards. */
  set(key: Uint8Array, value: Uint8Array): void;
  /** Writes what is not yet in a file, as happens when a display is terminated. */
  save(): void;
  /** Saves, and forgets everything; afterwards nothing is found and nothing taken in. A second call does nothing. */
  close(): void;
}

/** Bytes as a key of a map: one character each. */
export function mapKey(bytes: Uint8Array): string {
  const PIECE = 8192;
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return text;
}
