/** The place of a cache's values: all in one file, each in a file of its own, or only in memory. */
export type BlobCacheMode = "monolithic" | "multifile" | "memory";

/** The limits of a cache. */
export interface BlobCacheLimits {
  /** The maximum size of a key, in bytes. */
  readonly key: number;
  /** The maximum size of a value, in bytes. */
  readonly value: number;
  /** The maximum size of all entries, in bytes; includes the entries' headers if each entry has a file. */
  readonly total: number;
  /** The maximum number of entries. */
  readonly entries: number;
}

/** Counters of a cache. */
export interface BlobCacheCounts {
  /** Number of lookups that found a value. */
  readonly hits: number;
  /** Number of lookups that found no value. */
  readonly misses: number;
  /** Number of values stored. */
  readonly stored: number;
  /** Number of values that were not stored, because they are too large or empty. */
  readonly rejected: number;
  /** Number of values removed to make room. */
  readonly evicted: number;
}

/** The counts while they grow. */
export type Counting = { -readonly [Name in keyof BlobCacheCounts]: number };

/** Counts from nothing. */
export function noCounts(): Counting {
  return { hits: 0, misses: 0, stored: 0, rejected: 0, evicted: 0 };
}

/**
 * A cache of compiled programs for EGL_ANDROID_blob_cache. The contents of a file never cause an error: a file that is
 * not trusted is replaced.
 */
export interface BlobCache extends Disposable {
  /** The place of the cache's values. */
  readonly mode: BlobCacheMode;
  /** The limits of the cache. */
  readonly limits: BlobCacheLimits;
  /** The counters of the cache. */
  readonly counts: BlobCacheCounts;
  /** Number of values in the cache. */
  readonly entries: number;
  /** Size of the cache in bytes, as the limit `total` counts them. */
  readonly bytes: number;
  /** Returns the value of a key, `undefined` if there is none. The caller must not change the value. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** Stores a value. The cache keeps key and value without a copy; the caller must not change them afterwards. */
  set(key: Uint8Array, value: Uint8Array): void;
  /** Writes new values to the files, as the termination of a display does. */
  save(): void;
  /**
   * Saves the values and closes the cache. Afterwards lookups find no value, and stores are ignored. A second call does
   * nothing.
   */
  close(): void;
}

/** Bytes as a key of a map: one character each. */
export function mapKey(bytes: Uint8Array): string {
  const PIECE = 8192;
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return text;
}
