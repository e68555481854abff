import { NativeError } from "../../../ffi/error.ts";
import { type OpenLibrary, openLibrary } from "../../../ffi/library/library.ts";
import { DriverError } from "../../error.ts";
import { directEntryPoints, type EntryPoints, halEntryPoints, icdEntryPoints } from "./entry_points.ts";
import { type Finding, Refusal } from "../report/finding.ts";

/** A continuing search for drivers, for a driver that joins all that are found. */
export interface LiveSearch {
  /** The latest findings, in order. */
  findings(): readonly Finding[];
  /** Searches again, now. */
  refresh(): void;
}

/** An open driver. Close it after its last instance is gone. */
export interface Driver extends EntryPoints, Disposable {
  /** The file of the driver, or the name of a driver without a file; `""` for all found drivers if there is none. */
  readonly path: string;
  /** Whether the driver may be made of callbacks, so that its commands may wait for TypeScript. */
  readonly mayWait?: boolean;
  /** The search for the joined drivers. Absent: the driver never changes. */
  readonly search?: LiveSearch;
  /** Closes the driver. A second call does nothing. */
  close(): void;
}

/** A driver that is in this process already, such as one made of callbacks. */
export interface DirectDriver {
  /** The driver's name in messages. */
  readonly name: string;
  /** Address of the driver's vk_icdGetInstanceProcAddr, which must negotiate interface version 7. */
  readonly getInstanceProcAddr: bigint;
  /** The struct of an application that has the address, for the Khronos loader's messages. */
  readonly place?: string;
}

/**
 * Opens a driver library: an Android HAL module (it exports `HMI`) or an ICD
 * (it exports vk_icdGetInstanceProcAddr, or only vkGetInstanceProcAddr). Throws
 * a {@linkcode DriverError} that names the file, what was found and what to do.
 * Nothing stays open after an error.
 */
export function openDriver(path: string, how: LibraryOptions = {}): Driver {
  const library = loadDriverLibrary(path, how);
  try {
    return driverOf(path, entryPoints(path, library), library);
  } catch (error) {
    library.close();
    throw error;
  }
}

/**
 * Opens a driver that is already in this process. Throws a
 * {@linkcode DriverError} if the driver does not negotiate version 7.
 */
export function openDirectDriver({ name, getInstanceProcAddr, place }: DirectDriver): Driver {
  return { ...driverOf(name, directEntryPoints(name, getInstanceProcAddr, place)), mayWait: true };
}

/** Makes a driver from addresses. The driver owns their library, if there is one. */
export function driverOf(path: string, found: EntryPoints, library?: OpenLibrary): Driver {
  let open = true;
  function close(): void {
    if (!open) return;
    open = false;
    found.close?.();
    library?.close();
  }
  return { ...found, path, close, [Symbol.dispose]: close };
}

/** Options for opening a library. */
export interface LibraryOptions {
  /** Flags of `dlopen`. Default: resolve functions when they are first called. */
  readonly flags?: number;
  /** Whether none of Deno's operations may be called, as inside callbacks. */
  readonly quiet?: boolean;
}

/** Loads a library to search it for a driver. Throws a {@linkcode DriverError} if it cannot be loaded. */
export function loadDriverLibrary(path: string, { flags, quiet = false }: LibraryOptions = {}): OpenLibrary {
  try {
    return openLibrary(path, quiet, flags);
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
    throw new DriverError("unusable", path, `Cannot use "${path}" as a Vulkan driver: ${error.message}`, {
      cause: error,
    });
  }
}

function entryPoints(path: string, library: OpenLibrary): EntryPoints {
  const found = halEntryPoints(path, library) ?? icdEntryPoints(path, library);
  if (found) return found;
  const symbols = "'vkGetInstanceProcAddr' or 'vk_icdGetInstanceProcAddr'";
  throw new Refusal(
    "unusable",
    path,
    `Cannot use "${path}" as a Vulkan driver: it exports neither HMI (Android HAL module) nor ` +
      `vk_icdGetInstanceProcAddr or vkGetInstanceProcAddr (ICD); name the driver's own library or its manifest`,
    {
      message: `loader_scanned_icd_add: Attempt to retrieve either ${symbols} from ICD ${path} failed.`,
      level: "error",
      category: "none",
    },
  );
}
