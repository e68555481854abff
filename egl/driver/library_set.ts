import { NativeError } from "../../ffi/error.ts";
import { invokeAddress } from "../../ffi/invoke.ts";
import { Library, RTLD_NOW, withCString } from "../../ffi/library/library.ts";
import { DriverError } from "../../loader/error.ts";
import { driverOf, type EglApi, type EglDriver } from "./egl_driver.ts";

/** The libraries of a driver by their APIs. A driver in one binary has the same library in all places. */
export interface LibrarySet {
  /** The library with the `egl` functions. */
  readonly egl: Library;
  /** The library with OpenGL ES 1.x; if absent, eglGetProcAddress returns these functions. */
  readonly gles1?: Library;
  /** The library with OpenGL ES 2.0 and later; if absent, eglGetProcAddress returns these functions. */
  readonly gles2?: Library;
}

/** Whether a library exports EGL, judged by a function of every EGL. */
export function exportsEgl(library: Library): boolean {
  return library.find("eglInitialize") !== 0n;
}

/** Whether a library exports OpenGL ES, judged by a function of every version. */
export function exportsGles(library: Library): boolean {
  return library.find("glGetString") !== 0n;
}

/**
 * Makes a driver of loaded libraries, which the driver then owns. Throws a {@linkcode DriverError} and closes
 * everything if the first library exports no EGL.
 */
export function driverOfLibraries(set: LibrarySet): EglDriver {
  const libraries = [...new Set([set.egl, set.gles1, set.gles2].filter((each) => each !== undefined))];
  if (!exportsEgl(set.egl)) {
    for (const library of libraries.reverse()) library.close();
    throw driverRefusal(set.egl.path, NO_EGL);
  }
  const getProcAddress = set.egl.find("eglGetProcAddress");
  const ask = (name: string) => getProcAddress === 0n ? 0n : askProcAddress(getProcAddress, name);
  const kind = isAngle(libraries, ask) ? "angle" : libraries.length === 1 && exportsGles(set.egl) ? "one" : "three";
  // ANGLE's library for OpenGL ES has all versions.
  const { egl, gles2, gles1 = kind === "angle" ? gles2 : undefined } = set;
  const of: Readonly<Record<EglApi, Library | undefined>> = { egl, gles1, gles2 };
  const exported = (name: string, api: EglApi) => of[api]?.find(name) ?? 0n;
  return driverOf({ kind, libraries, exported, ask, handle: (api) => of[api]?.handle });
}

const NO_EGL = "it exports no egl function; it may be an empty stand-in, as newer Chromium has, whose EGL is in its " +
  "program: name the library of the driver itself";

/**
 * Whether libraries are ANGLE's. Android looks for the export in the third library only, which misses builds that
 * return the function on request.
 */
function isAngle(libraries: readonly Library[], ask: (name: string) => bigint): boolean {
  const name = "ANGLEGetDisplayPlatform";
  return libraries.some((library) => library.find(name) !== 0n) || ask(name) !== 0n;
}

/** Calls a `void *(const char *name)`. The call may reset the EGL error of the thread. */
export function askProcAddress(getProcAddress: bigint, name: string): bigint {
  return withCString(name, (text) => invokeAddress(getProcAddress, "q:q", [text]) as bigint);
}

/** Opens three libraries by their paths or sonames; `""` stands for a missing one. Throws a {@linkcode DriverError}. */
export function openLibraries(egl: string, gles1: string, gles2: string): EglDriver {
  const opened: Library[] = [];
  const open = (path: string) => {
    if (path === "") return undefined;
    opened.push(openDriverLibrary(path));
    return opened.at(-1);
  };
  try {
    return driverOfLibraries({ egl: open(egl)!, gles1: open(gles1), gles2: open(gles2) });
  } catch (error) {
    for (const library of opened.reverse()) library.close();
    throw error;
  }
}

/** Loads a library of an EGL driver. Throws a {@linkcode DriverError} that says what was found and what to do. */
export function openDriverLibrary(path: string, flags: number = RTLD_NOW): Library {
  try {
    return Library.open(path, flags);
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
    throw driverRefusal(path, error.message, error);
  }
}

/** Creates the error for a file that is not a usable EGL driver; `why` says what was found and what to do. */
export function driverRefusal(path: string, why: string, cause?: unknown): DriverError {
  return new DriverError("unusable", path, `Cannot use "${path}" as an EGL driver: ${why}`, { cause });
}
