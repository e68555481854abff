import type { Library } from "../../ffi/library/library.ts";

/** The APIs of a driver's functions; a driver in three libraries has one library for each API. */
export type EglApi = "egl" | "gles1" | "gles2";

/**
 * The kind of a driver: three libraries (or two, or the system's front for vendors), one binary for all APIs, a vendor
 * library of libglvnd that is used directly, or ANGLE in any form.
 */
export type EglDriverKind = "three" | "one" | "glvnd" | "angle";

/** An open EGL and OpenGL ES driver. Close it after its last display is terminated. */
export interface EglDriver extends Disposable {
  /** The file, or the soname, of the library with the EGL functions. */
  readonly path: string;
  /** Every library of the driver, first the one with the EGL functions; without those that could not be loaded. */
  readonly libraries: readonly string[];
  /** The kind of the driver. */
  readonly kind: EglDriverKind;
  /**
   * Whether the driver may return a function for every name that begins with `gl`, known or not, as libglvnd and Mesa
   * do. An address then proves nothing; only versions and extension strings tell whether a command exists.
   */
  readonly answersAnyName: boolean;
  /** Client extensions for platforms that a vendor library reports to libglvnd, but leaves out of its own list. */
  readonly platformExtensions: string;
  /** Returns the address of a function from the driver's exports or from its eglGetProcAddress; 0n if there is none. */
  find(name: string, api: EglApi): bigint;
  /**
   * Returns the address of a function that a library exports; 0n if there is none. For a libglvnd vendor, which has no
   * exports, the vendor's lookup function answers.
   */
  findExported(name: string, api: EglApi): bigint;
  /**
   * The dynamic linker's handle of the library that {@linkcode EglDriver.findExported} searches; `undefined` if it does
   * not search a single library.
   */
  handle(api: EglApi): bigint | undefined;
  /** Closes the driver's libraries, the last one first. A second call does nothing; afterwards no function is found. */
  close(): void;
}

/** The kind, the libraries and the functions of a driver. */
export interface DriverParts {
  /** See {@linkcode EglDriver.kind}. */
  readonly kind: EglDriverKind;
  /** The libraries, EGL's first. The driver owns them. */
  readonly libraries: readonly Library[];
  /** See {@linkcode EglDriver.platformExtensions}. */
  readonly platformExtensions?: string;
  /** Returns the address of an exported function; 0n for a missing function. */
  exported(name: string, api: EglApi): bigint;
  /** Asks the driver's lookup for a function. */
  ask(name: string): bigint;
  /** See {@linkcode EglDriver.handle}. */
  handle(api: EglApi): bigint | undefined;
}

/** Makes a driver from its parts. */
export function driverOf({ kind, libraries, platformExtensions = "", exported, ask, handle }: DriverParts): EglDriver {
  let open = true;
  function close(): void {
    if (!open) return;
    open = false;
    for (const library of libraries.toReversed()) library.close();
  }
  return {
    path: libraries[0].path,
    libraries: libraries.map(({ path }) => path),
    kind,
    platformExtensions,
    // Mesa makes functions for unknown names until it has made thousands; afterwards the answer would be different.
    answersAnyName: kind === "glvnd" || ask("glNoDriverHasThisFunction") !== 0n,
    find: (name, api) => open ? exported(name, api) || ask(name) : 0n,
    findExported: (name, api) => open ? exported(name, api) : 0n,
    handle: (api) => open ? handle(api) : undefined,
    close,
    [Symbol.dispose]: close,
  };
}
