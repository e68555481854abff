import { inFrame } from "../arena.ts";
import { cstring, readCString } from "../cstring.ts";
import { NativeError } from "../error.ts";
import { linkerMessage } from "../image/load.ts";
import { libc, libcAddress } from "../libc.ts";
import { invokeAddress } from "../machine.ts";
import { inspectElf } from "./elf_file.ts";

/** `RTLD_LAZY` of `dlfcn.h`: resolve functions when first called. */
export const RTLD_LAZY = 1;
/** `RTLD_NOW` of `dlfcn.h`: resolve everything at once. */
export const RTLD_NOW = 2;
/** `RTLD_NOLOAD` of `dlfcn.h`: open a library only if it is loaded already. */
export const RTLD_NOLOAD = 4;
/** `RTLD_NODELETE` of `dlfcn.h`: keep the library loaded after it is closed. */
export const RTLD_NODELETE = 0x1000;
/** `RTLD_GLOBAL` of `dlfcn.h`: let libraries loaded later use its symbols. */
export const RTLD_GLOBAL = 0x100;

/**
 * The tokens that the dynamic linker replaces in a path. Layer manifests use
 * `/usr/$LIB/...` for 32-bit and 64-bit programs alike.
 */
const TOKEN = /\$(?:LIB|ORIGIN|PLATFORM)\b|\$\{(?:LIB|ORIGIN|PLATFORM)\}/;

/** A shared object opened by the dynamic linker, which is closed with its owner. */
export class Library {
  /** The path or name with which the library was opened. */
  readonly path: string;
  #handle: bigint;

  private constructor(path: string, handle: bigint) {
    this.path = path;
    this.#handle = handle;
  }

  /**
   * Opens a library: a path, or a name that the dynamic linker can find. If
   * reading is allowed, a path is first checked with {@linkcode inspectElf},
   * whose errors are thrown. A path with a token of the dynamic linker, such as
   * `$LIB`, is not checked, because only the linker can resolve the token. By
   * default all symbols are resolved at once: a missing function would
   * otherwise end the process when it is first called. Throws a
   * {@linkcode NativeError} `load-failed` with the dynamic linker's message.
   */
  static open(path: string, flags: number = RTLD_NOW): Library {
    if (path.includes("/") && !TOKEN.test(path)) inspectIfAllowed(path);
    const handle = libc().dlopen(cstring(path), flags);
    if (handle !== 0n) return new Library(path, handle);
    throw notOpened(
      path,
      linkerMessage(),
      isBesideUs(path) ? `; for the file in the current folder write "./${path}"` : "",
    );
  }

  /** Opens the library of a name that this process has loaded already; `undefined` if there is none. */
  static loaded(name: string): Library | undefined {
    const handle = libc().dlopen(cstring(name), RTLD_NOW | RTLD_NOLOAD);
    return handle === 0n ? undefined : new Library(name, handle);
  }

  /** The dynamic linker's handle. Throws after {@linkcode Library.close}. */
  get handle(): bigint {
    if (this.#handle === 0n) throw new NativeError("closed", `Cannot use "${this.path}": it is closed; open it again`);
    return this.#handle;
  }

  /** Address of a symbol; 0n if there is none. */
  find(name: string): bigint {
    return libc().dlsym(this.handle, cstring(name));
  }

  /** Address of a symbol. Throws a {@linkcode NativeError} `missing-symbol` if there is none. */
  require(name: string): bigint {
    const address = this.find(name);
    if (address !== 0n) return address;
    const message = `Cannot find "${name}" in "${this.path}": it is not exported; is this the library you meant?`;
    throw new NativeError("missing-symbol", message, { path: this.path });
  }

  /** Closes the library. Its code may stay mapped while others use the library. A second call does nothing. */
  close(): void {
    if (this.#handle === 0n) return;
    libc().dlclose(this.#handle);
    this.#handle = 0n;
  }

  /** Closes the library at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/** Advice on room for the data of threads: the dynamic linker does not get all of it back when libraries are closed. */
const MORE_TLS = "; keep libraries open instead of opening them again, or start the program with " +
  "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=65536 in its environment";

/** The error of a library that the dynamic linker cannot open. The error's cause has the linker's own words alone. */
function notOpened(path: string, words: string, advice = ""): NativeError {
  const more = words.includes("static TLS") ? MORE_TLS : advice;
  const sentence = `Cannot open "${path}": the dynamic linker says: ${words}${more}`;
  return new NativeError("load-failed", sentence, { path, cause: new Error(words) });
}

/** Whether a name without a folder, for which the linker searches its own folders, is a file in the current folder. */
function isBesideUs(path: string): boolean {
  return !path.includes("/") && isFile(path);
}

/** Whether a path leads to a file that may be seen. */
export function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Inspects the file if reading is allowed. If not, only the dynamic linker judges the file. */
function inspectIfAllowed(path: string): void {
  try {
    inspectElf(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
}

/** Calls `use` with the address of a C string, which is valid until `use` returns. Returns the result of `use`. */
export function withCString<Result>(text: string, use: (address: bigint) => Result): Result {
  return inFrame((memory) => use(memory.place(cstring(text))));
}

/**
 * Returns the address that a function `void *(void *handle, const char *name)`
 * gives for a name: vkGetInstanceProcAddr, vkGetDeviceProcAddr, dlsym and
 * functions like them.
 */
export function procOf(getProcAddr: bigint, handle: bigint, name: string): bigint {
  return withCString(name, (text) => invokeAddress(getProcAddr, "q:qq", [handle, text]) as bigint);
}

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
  /** 0n where the C library has no such function. */
  readonly statx: bigint;
}

let linker: Linker | undefined;

/**
 * Prepares {@linkcode openLibrary} for opening libraries quietly: inside a
 * callback, where no operation of Deno may be called.
 */
export function prepareQuietLibraries(): void {
  const [dlopen, dlsym, dlclose, dlerror, statx] = ["dlopen", "dlsym", "dlclose", "dlerror", "statx"].map(libcAddress);
  linker ??= { dlopen, dlsym, dlclose, dlerror, statx };
}

const AT_FDCWD = -100, STATX_TYPE = 1;
/** `struct statx` of `linux/stat.h`: its size and the offset of the mode. S_IFMT and two of its values. */
const STATX = { size: 256, mode: 28 }, FILE_TYPE = 0xf000, FOLDER = 0x4000, REGULAR = 0x8000;

/** Whether a path leads to a pipe, a device or the like, which the dynamic linker might never come back from. */
function isSpecial(path: string, statx: bigint): boolean {
  if (statx === 0n) return false;
  return inFrame((memory) => {
    const out = memory.alloc(STATX.size), place = memory.place(cstring(path));
    if (invokeAddress(statx, "s:sqwwq", [AT_FDCWD, place, 0, STATX_TYPE, memory.address(out)]) !== 0) return false;
    return ![FOLDER, REGULAR].includes(memory.view.getUint16(out + STATX.mode, true) & FILE_TYPE);
  });
}

/**
 * Opens a library. Unless `quiet`, first inspects the file for problems that
 * the dynamic linker does not report. With `quiet`, only refuses pipes, devices
 * and the like, and uses no operation of Deno. Throws a {@linkcode NativeError} if the library
 * cannot be opened.
 */
export function openLibrary(path: string, quiet: boolean, flags: number = RTLD_NOW): OpenLibrary {
  if (!quiet || !linker) return Library.open(path, flags);
  const { dlopen, dlsym, dlclose, dlerror, statx } = linker;
  if (path.includes("/") && isSpecial(path, statx)) {
    const found = "found something that is no regular file; give a library (.so)";
    throw new NativeError("not-a-file", `Cannot open "${path}" as a library: ${found}`, { path });
  }
  const handle = withCString(path, (text) => invokeAddress(dlopen, "q:qs", [text, flags]) as bigint);
  if (handle === 0n) {
    throw notOpened(path, readCString(invokeAddress(dlerror, "q:", []) as bigint));
  }
  return {
    handle,
    find: (name) => procOf(dlsym, handle, name),
    close: () => void invokeAddress(dlclose, "s:q", [handle]),
  };
}
