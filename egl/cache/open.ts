import { callback, checkOptions, type OptionRules, typed, yesOrNo } from "../../ffi/check_options.ts";
import type { BlobCache } from "./blob_cache.ts";
import { MonolithicCache } from "./monolithic.ts";
import { MULTIFILE_LIMITS, MultifileCache } from "./multifile.ts";

type Property = (name: string) => string;

/** The place and the form of a cache of compiled programs. */
export interface BlobCacheOptions {
  /**
   * The file. Android's applications use the name `com.android.opengl.shaders_cache` in a folder of their own. A cache
   * of many files is a folder with this name and `.multifile`. Default: the cache ends with the process.
   */
  readonly path?: string;
  /** Whether each entry has a file of its own. Default: the value of the properties, otherwise `false`. */
  readonly multifile?: boolean;
  /**
   * A text, such as the driver's version; a file with another text is not trusted. Default: the property ro.build.id.
   */
  readonly buildId?: string;
  /**
   * Reads a system property; returns `""` for a property that is not set. Read are ro.build.id,
   * `ro.egl.blobcache.multifile`, `ro.egl.blobcache.multifile_limit`, and the same names with `debug.egl.`, which take
   * precedence. Default: no property is set.
   */
  readonly property?: (name: string) => string;
  /** Gets a sentence for each faulty file. Default: no messages. */
  readonly log?: (message: string) => void;
}

const RULES: OptionRules<BlobCacheOptions> = {
  path: typed("the path of a file", "string"),
  multifile: yesOrNo,
  buildId: typed("a text", "string"),
  property: callback("says what a system property is"),
  log: callback("takes a sentence"),
};

/**
 * Opens a cache of compiled programs. No file is read before the first use.
 *
 * @example Without a file
 * ```ts
 * import { openBlobCache } from "@pumice/gfx/egl";
 * import { assertEquals } from "@std/assert";
 *
 * using cache = openBlobCache();
 * cache.set(new Uint8Array([1]), new Uint8Array([2, 3]));
 * assertEquals(cache.get(new Uint8Array([1])), new Uint8Array([2, 3]));
 * ```
 */
export function openBlobCache(options: BlobCacheOptions = {}): BlobCache {
  checkOptions("openBlobCache()", options, RULES);
  const { path = "", log: say, property = () => "" } = options;
  const buildId = options.buildId ?? (property("debug.egl.blobcache.build_id") || property("ro.build.id"));
  if (path === "" || !(options.multifile ?? isMultifile(property))) {
    return new MonolithicCache({ path, buildId, say });
  }
  const limits = { ...MULTIFILE_LIMITS, total: totalLimit(property) };
  return new MultifileCache({ folder: `${path}.multifile`, buildId, version: versionOf(property), limits, say });
}

function isMultifile(property: Property): boolean {
  const debug = property("debug.egl.blobcache.multifile");
  const value = debug === "true" || debug === "false" ? debug : property("ro.egl.blobcache.multifile");
  return ["1", "y", "yes", "on", "true"].includes(value);
}

function totalLimit(property: Property): number {
  return wholeNumber(property("debug.egl.blobcache.multifile_limit")) ??
    wholeNumber(property("ro.egl.blobcache.multifile_limit")) ?? MULTIFILE_LIMITS.total;
}

function versionOf(property: Property): number {
  return wholeNumber(property("debug.egl.blobcache.cache_version")) ?? 1;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
