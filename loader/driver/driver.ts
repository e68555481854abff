import { NativeError } from "../../ffi/error.ts";
import { Library } from "../../ffi/library.ts";
import { DriverError } from "../error.ts";
import { halEntryPoints } from "./hal.ts";
import { icdEntryPoints } from "./icd.ts";

/** What a driver library answers to: the interface by which its entry points are found. */
export type DriverKind = "icd" | "hal";

/** The entry points a loader needs before there is an instance. */
export interface EntryPoints {
  /** The interface the library speaks. */
  readonly kind: DriverKind;
  /** Loader-ICD interface version agreed on (0 to 7); 0 for a HAL module. */
  readonly interfaceVersion: number;
  /** Address of the driver's vkGetInstanceProcAddr. */
  readonly getInstanceProcAddr: bigint;
  /** Addresses of global commands the interface hands over itself, by name. */
  readonly given: ReadonlyMap<string, bigint>;
  /** Undoes what opening did beside loading the library. */
  close?(): void;
}

/** An opened driver library. Close it after its last instance is gone. */
export interface Driver extends EntryPoints, Disposable {
  /** The file the driver was loaded from. */
  readonly path: string;
  /** Closes the library. A second call does nothing. */
  close(): void;
}

/**
 * Opens a driver library: an Android HAL module (it exports `HMI`) or an ICD
 * (it exports vk_icdGetInstanceProcAddr, or plain vkGetInstanceProcAddr).
 * Throws a {@linkcode DriverError} that names the file, what was found and
 * what to do; nothing stays open then.
 */
export function openDriver(path: string): Driver {
  const library = loadLibrary(path);
  try {
    return bindDriver(path, library, entryPoints(path, library));
  } catch (error) {
    library.close();
    throw error;
  }
}

function loadLibrary(path: string): Library {
  try {
    return Library.open(path);
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
    throw new DriverError(path, `Cannot use "${path}" as a Vulkan driver: ${error.message}`, { cause: error });
  }
}

function entryPoints(path: string, library: Library): EntryPoints {
  const found = halEntryPoints(path, library) ?? icdEntryPoints(path, library);
  if (found) return found;
  throw new DriverError(
    path,
    `Cannot use "${path}" as a Vulkan driver: it exports neither HMI (Android HAL module) nor ` +
      `vk_icdGetInstanceProcAddr or vkGetInstanceProcAddr (ICD); name the driver's own library or its manifest`,
  );
}

function bindDriver(path: string, library: Library, found: EntryPoints): Driver {
  let open = true;
  function close(): void {
    if (!open) return;
    open = false;
    found.close?.();
    library.close();
  }
  return { ...found, path, close, [Symbol.dispose]: close };
}
