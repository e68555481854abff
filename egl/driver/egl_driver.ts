import type { Library } from "../../ffi/library/library.ts";

/** The interfaces a driver's functions belong to, each with a library of its own where there are three. */
export type EglApi = "egl" | "gles1" | "gles2";

/**
 * What a driver is made of: three libraries (or two, or the system's front for
 * vendors), one binary for everything, a vendor library of libglvnd's that is
 * asked directly, or ANGLE, whatever it is made of.
 */
export type EglDriverKind = "three" | "one" | "glvnd" | "angle";

/** An opened EGL and OpenGL ES driver. Close it after its last display is terminated. */
export interface EglDriver extends Disposable {
  /** The file, or the soname, of the library its `egl` functions come from. */
  readonly path: string;
  /** Every library it is made of, that one first; what could not be had is not here. */
  readonly libraries: readonly string[];
  /** What it is made of. */
  readonly kind: EglDriverKind;
  /**
   * Whether it may give a function for every name that begins with `gl`, known
   * to it or not, as libglvnd and Mesa do: that a function is found says nothing
   * then, only versions and extension strings do.
   */
  readonly answersAnyName: boolean;
  /** Client extensions for platforms that a vendor of libglvnd's tells libglvnd, and leaves out of its own list. */
  readonly platformExtensions: string;
  /** The address of a function as the driver exports it, or its eglGetProcAddress gives it; 0n when it has none. */
  find(name: string, api: EglApi): bigint;
  /** The address a library exports a function at; 0n for none. A libglvnd vendor has no exports: it is asked. */
  findExported(name: string, api: EglApi): bigint;
  /**
   * The dynamic linker's handle of the library {@linkcode EglDriver.findExported}
   * looks in, `undefined` where there is none or it is not as simple as that.
   */
  handle(api: EglApi): bigint | undefined;
  /** Closes its libraries, the last first. A second call does nothing; afterwards nothing is found any more. */
  close(): void;
}

/** What tells one driver from another. */
export interface DriverParts {
  /** See {@linkcode EglDriver.kind}. */
  readonly kind: EglDriverKind;
  /** The libraries, EGL's first; it owns them. */
  readonly libraries: readonly Library[];
  /** See {@linkcode EglDriver.platformExtensions}. */
  readonly platformExtensions?: string;
  /** Where a function is exported; 0n for nowhere. */
  exported(name: string, api: EglApi): bigint;
  /** What the driver answers when it is asked for a function. */
  ask(name: string): bigint;
  /** See {@linkcode EglDriver.handle}. */
  handle(api: EglApi): bigint | undefined;
}

/** Makes a driver of its parts. */
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
    // Mesa makes a function for any name until it has made thousands: then the question would be answered otherwise.
    answersAnyName: kind === "glvnd" || ask("glNoDriverHasThisFunction") !== 0n,
    find: (name, api) => open ? exported(name, api) || ask(name) : 0n,
    findExported: (name, api) => open ? exported(name, api) : 0n,
    handle: (api) => open ? handle(api) : undefined,
    close,
    [Symbol.dispose]: close,
  };
}
