import { NativeError } from "../../ffi/error.ts";
import { Library, RTLD_NOW } from "../../ffi/library/library.ts";
import { DriverError } from "../../loader/error.ts";

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
