import { arena } from "../../ffi/arena.ts";
import { cstring, readCString } from "../../ffi/cstring.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { Library, RTLD_LAZY } from "../../ffi/library.ts";
import { invoke } from "../../ffi/machine.ts";

/** The opened library of a layer. */
export interface LayerLibrary {
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
 * Does what {@linkcode openLayerLibrary} needs to open libraries quietly:
 * inside a callback, where none of Deno's operations may be called.
 */
export function prepareLayerLibraries(): void {
  const [dlopen, dlsym, dlclose, dlerror] = ["dlopen", "dlsym", "dlclose", "dlerror"].map(libcAddress);
  linker ??= { dlopen, dlsym, dlclose, dlerror };
}

/**
 * Opens the library of a layer, looking into the file first for what the
 * dynamic linker would not say; quietly, without that and without any of Deno's
 * operations. Throws when it cannot be opened.
 */
export function openLayerLibrary(path: string, quiet: boolean): LayerLibrary {
  if (!quiet || !linker) return Library.open(path);
  const { dlopen, dlsym, dlclose, dlerror } = linker;
  const handle = withText(path, (text) => invoke(dlopen, "q:qs", [text, RTLD_LAZY]) as bigint);
  if (handle === 0n) {
    throw new Error(
      `Cannot open "${path}": the dynamic linker says: ${readCString(invoke(dlerror, "q:", []) as bigint)}`,
    );
  }
  return {
    find: (name) => withText(name, (text) => invoke(dlsym, "q:qq", [handle, text]) as bigint),
    close: () => void invoke(dlclose, "s:q", [handle]),
  };
}

function withText(text: string, call: (text: bigint) => bigint): bigint {
  const memory = arena(), mark = memory.mark();
  try {
    return call(memory.place(cstring(text)));
  } finally {
    memory.release(mark);
  }
}
