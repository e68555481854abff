import { readCString } from "../cstring.ts";
import { NativeError } from "../error.ts";
import { libcAddress } from "../libc.ts";
import { Library, RTLD_NOW } from "./library.ts";
import { invoke } from "../machine.ts";
import { procOf, withCString } from "./proc_of.ts";

/** A library that is open: a {@linkcode Library}, or one that was opened inside a callback. */
export interface OpenLibrary {
  /** The dynamic linker's handle. */
  readonly handle: bigint;
  /** Address of an export; 0n if there is none. */
  find(name: string): bigint;
  /** Gives the library back; to be called once. */
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
 * Does what {@linkcode openLibrary} needs to open libraries quietly: inside a
 * callback, where none of Deno's operations may be called.
 */
export function prepareQuietLibraries(): void {
  const [dlopen, dlsym, dlclose, dlerror] = ["dlopen", "dlsym", "dlclose", "dlerror"].map(libcAddress);
  linker ??= { dlopen, dlsym, dlclose, dlerror };
}

/**
 * Opens a library, looking into the file first for what the dynamic linker
 * would not say; quietly, without that and without any of Deno's operations.
 * Throws a {@linkcode NativeError} when it cannot be opened.
 */
export function openLibrary(path: string, quiet: boolean, flags = RTLD_NOW): OpenLibrary {
  if (!quiet || !linker) return Library.open(path, flags);
  const { dlopen, dlsym, dlclose, dlerror } = linker;
  const handle = withCString(path, (text) => invoke(dlopen, "q:qs", [text, flags]) as bigint);
  if (handle === 0n) {
    const said = readCString(invoke(dlerror, "q:", []) as bigint);
    throw new NativeError("load-failed", `Cannot open "${path}": the dynamic linker says: ${said}`, { path });
  }
  return {
    handle,
    find: (name) => procOf(dlsym, handle, name),
    close: () => void invoke(dlclose, "s:q", [handle]),
  };
}
