import { inFrame } from "../arena.ts";
import { readCString } from "../cstring.ts";
import { DATA_SYMBOL } from "../emit/layout.ts";
import { NativeError } from "../error.ts";
import { libcAddress } from "../libc.ts";
import { Library } from "../library/library.ts";
import { invokeAddress } from "../machine.ts";
import type { ExportedLibrary } from "./exported.ts";

/** The API whose libraries are replaced. */
export interface InstalledApi {
  /** The name of the API in messages. */
  readonly name: string;
  /** Returns the function that stands for all commands while nothing is installed. */
  readonly refusal: () => bigint;
}

/** A library of this package under a name by which native code opens or links the system's library. */
export interface InstalledLibrary {
  /** The name. */
  readonly soname: string;
  /** Whether the library is left out if another library of the process has the name. Default: `false`. */
  readonly isOptional?: boolean;
  /** The slots of the library that lead to commands. All libraries of the name export the first of them. */
  readonly commands: readonly string[];
  /** Makes the library. Returns `undefined` where emitted code cannot be used. */
  make(): ExportedLibrary | undefined;
}

/**
 * The libraries of this package that stand for the system's libraries of an
 * API. The dynamic linker keeps the first library of a name for as long as
 * native code holds the library, so the libraries outlive an installation and
 * serve the next one.
 */
export class InstalledLibraries {
  readonly #api: InstalledApi;
  readonly #libraries = new Map<string, Pick<InstalledLibrary, "commands"> & { readonly library: ExportedLibrary }>();
  #refusal: bigint | undefined;
  #connected = false;

  /** Begins without libraries. */
  constructor(api: InstalledApi) {
    this.#api = api;
  }

  /** Whether an installation is active. */
  get isConnected(): boolean {
    return this.#connected;
  }

  /** Returns the library of a name; `undefined` if none was made. */
  library(soname: string): ExportedLibrary | undefined {
    return this.#libraries.get(soname)?.library;
  }

  /**
   * Lets native code that opens or links one of the libraries find the commands
   * at the addresses that `find` returns. Returns a function that ends the
   * installation. Throws a {@linkcode NativeError}: `already-loaded` during
   * another installation, or if a name is taken, with `advice`; `unsupported`
   * where emitted code cannot be used.
   */
  connect(libraries: readonly InstalledLibrary[], find: (name: string) => bigint, advice: string): () => void {
    if (this.#connected) {
      const message = `Cannot install a second ${this.#api.name} loader: call uninstall() on the first one`;
      throw new NativeError("already-loaded", message);
    }
    try {
      this.#load(libraries, advice);
      this.#point(find);
    } catch (error) {
      this.#disconnect();
      throw error;
    }
    this.#connected = true;
    return () => this.#disconnect();
  }

  /** Opens the libraries again that native code has kept, and makes the others. */
  #load(libraries: readonly InstalledLibrary[], advice: string): void {
    const gone = libraries.filter(({ soname }) => !this.library(soname)?.reload());
    for (const { soname } of gone) this.#libraries.delete(soname);
    const missing = gone.filter((each) => !this.#isTaken(each, advice));
    for (const { soname, commands, make } of missing) {
      const library = make();
      if (!library) throw this.#unsupported();
      this.#libraries.set(soname, { commands, library });
    }
  }

  /** Whether an optional library has to be left out. Throws if the name of any other library is taken. */
  #isTaken({ soname, isOptional, commands: [known] }: InstalledLibrary, advice: string): boolean {
    using found = Library.loaded(soname);
    if (!found || isOptional) return found !== undefined;
    const path = pathOf(found.find(known)) || soname;
    const reason = found.find(DATA_SYMBOL) === 0n
      ? `this process has loaded "${path}" already; ${advice}`
      : "another part of this process, such as a Worker, has installed one; call its uninstall() first, or use it";
    const message = `Cannot install the ${this.#api.name} loader as "${soname}": ${reason}`;
    throw new NativeError("already-loaded", message, { path });
  }

  #unsupported(): NativeError {
    return new NativeError(
      "unsupported",
      `Cannot install the ${this.#api.name} loader: emitted code cannot be used here; ` +
        "allow executable memory or temporary files",
    );
  }

  #point(find: (name: string) => bigint): void {
    for (const { library, commands } of this.#libraries.values()) {
      for (const name of commands) library.set(name, find(name));
    }
  }

  /** Leads all commands to the refusal, unloads all libraries, and forgets those that are gone. */
  #disconnect(): void {
    this.#connected = false;
    this.#point(() => this.#refusal ??= this.#api.refusal());
    for (const [soname, { library }] of this.#libraries) if (library.unload()) this.#libraries.delete(soname);
  }
}

/** Returns the file of a function, from dladdr; `""` if the file is unknown. */
function pathOf(address: bigint): string {
  return inFrame((memory) => {
    const info = memory.alloc(32); // Dl_info
    memory.bytes.fill(0, info, info + 32);
    invokeAddress(libcAddress("dladdr"), "s:qo", [address, info]); // int dladdr(const void *, Dl_info *)
    return readCString(memory.view.getBigUint64(info, true));
  });
}
