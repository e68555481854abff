import { hexOf } from "./arena.ts";
import { callback, checkOptions, type OptionRules, text } from "./check_options.ts";
import { NativeError } from "./error.ts";

/** The downloader. Not a literal inside import(), because Deno would fetch it for everybody who imports this module. */
const PLUG = "jsr:@denosaurs/plug@^1.1.0";

/** Settings of {@linkcode fetchLibrary}. */
export interface FetchOptions {
  /** SHA-256 of the file, 64 hexadecimal digits. Required: a library runs with all the rights of the process. */
  readonly sha256: string;
  /** Fetches a URL and returns the path of a local copy. Default: `@denosaurs/plug`, loaded when first needed. */
  readonly download?: (url: string) => Promise<string>;
}

const RULES: OptionRules<FetchOptions> = {
  sha256: text("the hash of the file, in hexadecimal"),
  download: callback("fetches a URL and returns the path of the file"),
};

/**
 * Fetches a library over http(s) and returns the path of the local copy, which
 * opens like any other library. The hash of the copy is checked each time,
 * because the cache keeps files of interrupted downloads. A library on this
 * machine needs no fetching: give its path.
 *
 * Needs `--allow-net`, `--allow-read`, `--allow-write` and `--allow-env`.
 * Throws a {@linkcode NativeError} `unsupported` for another kind of URL or if
 * the downloader cannot be loaded, `load-failed` if the download fails or the
 * hash differs.
 *
 * @example
 * ```ts ignore
 * import { fetchLibrary } from "@pumice/gfx/ffi";
 *
 * const driver = await fetchLibrary("https://example.com/1.2/libvulkan_soc.so", { sha256: "9f86d0…" });
 * ```
 */
export async function fetchLibrary(url: string, options: FetchOptions): Promise<string> {
  checkOptions("fetchLibrary()", options, RULES);
  if (!/^https?:\/\//.test(url)) {
    throw new NativeError("unsupported", `Cannot fetch "${url}": it is no http(s) URL; give a local path directly`, {
      path: url,
    });
  }
  const download = options.download ?? await plug();
  const path = await downloaded(url, download);
  const found = await sha256Of(path);
  if (found === options.sha256.toLowerCase()) return path;
  throw new NativeError(
    "load-failed",
    `Cannot use "${url}": its SHA-256 is ${found}, not ${options.sha256}; remove ${path} and fetch again, or correct the hash`,
    { path },
  );
}

async function plug(): Promise<(url: string) => Promise<string>> {
  try {
    const { download } = await import(PLUG);
    return (url) => download({ url });
  } catch (cause) {
    throw new NativeError(
      "unsupported",
      "Cannot fetch libraries: @denosaurs/plug cannot be loaded; fetch the file yourself and give its path",
      { cause },
    );
  }
}

async function downloaded(url: string, download: (url: string) => Promise<string>): Promise<string> {
  try {
    return await download(url);
  } catch (cause) {
    throw new NativeError("load-failed", `Cannot fetch "${url}": ${(cause as Error).message}; check the address`, {
      path: url,
      cause,
    });
  }
}

async function sha256Of(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return hexOf(new Uint8Array(digest));
}
