import type { Library } from "../../ffi/library/library.ts";
import { DriverError } from "../../loader/error.ts";
import { driverOfLibraries, exportsEgl, openDriverLibrary } from "./library_set.ts";
import type { EglDriver } from "./egl_driver.ts";
import type { Search } from "./finding_list.ts";
import { GLVND_MAIN, vendorOf } from "./glvnd_vendor.ts";
import { isLibrary, lookAt, namesOf } from "./library_files.ts";

/** The contents of a driver's library, as the beginning of its name states: everything, or one interface. */
type Kind = "GLES" | "EGL" | "GLESv1_CM" | "GLESv2";

/** Finds and loads the library of a kind. */
export type LoadKind = (kind: Kind) => Library | undefined;

/** The library of old emulators. It is no driver, so Android's wildcard rule passes over it. */
const NEVER = "libGLES_android.so";

/** Finds and loads the libraries of drivers, and records a finding for each file. */
export class LibrarySearch {
  readonly #search: Search;
  readonly #root: string;

  /** Makes a search below `root`. */
  constructor(search: Search, root: string) {
    this.#search = search;
    this.#root = root;
  }

  /**
   * Returns a function that loads `lib<kind><suffix>.so` from the first folder with such a library; the suffix includes
   * its underscore.
   */
  exact(suffix: string, folders: readonly string[], origin: string): LoadKind {
    return (kind) => first(folders, (folder) => this.#named(this.#root + folder, `lib${kind}${suffix}`, origin));
  }

  /**
   * Returns a function that loads the first library whose name begins with `lib<kind>_`. Android takes the file
   * system's order; here names are sorted.
   */
  wildcard(folders: readonly string[], origin: string): LoadKind {
    return (kind) =>
      first(folders, (folder) => {
        const path = this.#root + folder, start = `lib${kind}_`;
        const found = this.#namesIn(path).find((name) => name.startsWith(start) && name !== NEVER);
        return found === undefined ? undefined : this.load(`${path}/${found}`, origin);
      });
  }

  /**
   * Loads a driver in one binary, otherwise a driver in three libraries, of which only EGL is required. Returns
   * `undefined` if neither exists.
   */
  assemble(load: LoadKind, origin: string): EglDriver | undefined {
    const all = load("GLES");
    const one = all && this.#driver(origin, () => driverOfLibraries({ egl: all, gles1: all, gles2: all }));
    return one ?? this.three(load, origin);
  }

  /** Loads a driver in three libraries, of which only EGL is required. */
  three(load: LoadKind, origin: string): EglDriver | undefined {
    const egl = load("EGL");
    if (!egl) return undefined;
    if (!exportsEgl(egl) && egl.find(GLVND_MAIN) !== 0n) return this.#driver(origin, () => vendorOf(egl));
    return this.#driver(
      origin,
      () => driverOfLibraries({ egl, gles1: load("GLESv1_CM"), gles2: load("GLESv2") }),
    );
  }

  /** Loads one file. Records the reason if the file cannot be loaded. */
  load(path: string, origin: string): Library | undefined {
    const { host } = this.#search;
    if (path.includes("!/")) {
      return this.#search.refused(path, origin, "lies inside a package; unpack it and name the folder");
    }
    if (path.includes("/") && lookAt(path, host) === "nothing") {
      return this.#search.refused(path, origin, "no such file", "debug");
    }
    try {
      return openDriverLibrary(path);
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      return this.#search.refused(path, origin, error.message);
    }
  }

  #named(folder: string, stem: string, origin: string): Library | undefined {
    const names = namesOf(stem, this.#search.host).map((name) => `${folder}/${name}`);
    const there = names.filter((path) => lookAt(path, this.#search.host) !== "nothing");
    return first(there.length > 0 ? there : names.slice(0, 1), (path) => this.load(path, origin));
  }

  #driver(origin: string, make: () => EglDriver): EglDriver | undefined {
    return this.#search.attempt("", origin, make);
  }

  #namesIn(folder: string): string[] {
    const { host, findings } = this.#search;
    try {
      return host.readDir(folder).filter((name) => isLibrary(name, host)).sort();
    } catch (error) {
      const reason = error instanceof Deno.errors.NotFound ? "does not exist" : (error as Error).message;
      findings.push({ subject: "folder", path: folder, origin: "wildcard", taken: false, reason, level: "debug" });
      return [];
    }
  }
}

/** The first result that is not `undefined`. */
export function first<From, To>(from: readonly From[], find: (each: From) => To | undefined): To | undefined {
  for (const each of from) {
    const found = find(each);
    if (found !== undefined) return found;
  }
}
