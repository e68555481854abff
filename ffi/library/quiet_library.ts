import { readCString } from "../cstring.ts";
import { NativeError } from "../error.ts";
import { libcAddress } from "../libc.ts";
import { Library, RTLD_NOW } from "./library.ts";
import { invokeAddress } from "../machine.ts";
import { procOf, withCString } from "./proc_of.ts";

/** An open library: a {@linkcode Library}, or a library that was opened inside a callback. */
export interface OpenLibrary {
  /** The dynamic linker's handle. */
  readonly handle: bigint;
  /** Address of an export; 0n if there is none. */
  find(name: string): bigint;
  /** Closes the library. Call this method once. */
  close(): void;
}

/** The dynamic linker's functions. */
interface Linker {
  readonly dlopen: bigint;
  readonly dlsym: bigint;
  readonly dlclose: bigint;
  readonly dlerror: bigint;
}

let linker: Linker | undefined;

/**
 * Prepares {@linkcode openLibrary} for opening libraries quietly: inside a
 * callback, where no operation of Deno may be called.
 */
export function prepareQuietLibraries(): void {
  const [dlopen, dlsym, dlclose, dlerror] = ["dlopen", "dlsym", "dlclose", "dlerror"].map(libcAddress);
  linker ??= { dlopen, dlsym, dlclose, dlerror };
}

/**
 * Opens a library. Unless `quiet`, first inspects the file for problems that
 * the dynamic linker does not report. With `quiet`, skips the inspection and
 * uses no operation of Deno. Throws a {@linkcode NativeError} if the library
 * cannot be opened.
 */
export function openLibrary(path: string, quiet: boolean, flags = RTLD_NOW): OpenLibrary {
  if (!quiet || !linker) return Library.open(path, flags);
  const { dlopen, dlsym, dlclose, dlerror } = linker;
  const handle = withCString(path, (text) => invokeAddress(dlopen, "q:qs", [text, flags]) as bigint);
  if (handle === 0n) {
    const said = readCString(invokeAddress(dlerror, "q:", []) as bigint);
    throw new NativeError("load-failed", `Cannot open "${path}": the dynamic linker says: ${said}`, { path });
  }
  return {
    handle,
    find: (name) => procOf(dlsym, handle, name),
    close: () => void invokeAddress(dlclose, "s:q", [handle]),
  };
}
