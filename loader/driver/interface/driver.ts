import { NativeError } from "../../../ffi/error.ts";
import { type OpenLibrary, openLibrary } from "../../../ffi/library/quiet_library.ts";
import { DriverError } from "../../error.ts";
import { halEntryPoints } from "./hal.ts";
import { directEntryPoints, icdEntryPoints } from "./icd.ts";
import type { Finding } from "../report/finding.ts";
import type { Told } from "../report/log.ts";
import { Refusal } from "../report/refusal.ts";

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
  /** Address of its vk_icdGetPhysicalDeviceProcAddr, for physical-device commands nobody knows; 0n when it has none. */
  readonly getPhysicalDeviceProcAddr: bigint;
  /** Addresses of global commands the interface hands over itself, by name. */
  readonly given: ReadonlyMap<string, bigint>;
  /** For a driver that answers differently for each instance: the vkGetInstanceProcAddr of one. Absent: all have the same. */
  instanceProcAddr?(instance: bigint): bigint;
  /** For a driver that answers differently for each device: the vkGetDeviceProcAddr of one. Absent: all have the same. */
  deviceProcAddr?(device: bigint): bigint;
  /** Whether it decides by itself what applications see, as Android's driver level does: nothing is hidden above it. */
  readonly filtersItself?: boolean;
  /** Whether it sorts out by itself what of a create info's extensions concerns it: those of layers may reach it. */
  readonly sortsExtensions?: boolean;
  /** For a driver that stands for several: the path of the one a device is of. */
  deviceDriver?(device: bigint): string;
  /** Addresses for the driver's own slots in the dispatch table of a device. */
  deviceSlots?(device: bigint): readonly bigint[];
  /** Passes a message on to those who listen to an instance. Absent: nobody listens but to the driver itself. */
  tell?(instance: bigint, message: Told): void;
  /** Told that an instance is gone, maybe long after it went: nobody calls with it any more. */
  instanceGone?(instance: bigint): void;
  /** Told that a device is gone, likewise. */
  deviceGone?(device: bigint): void;
  /** Undoes what opening did beside loading the library. */
  close?(): void;
}

/** A search for drivers that goes on, for a driver that stands for all that are found. */
export interface LiveSearch {
  /** What was looked at last, in order. */
  findings(): readonly Finding[];
  /** Looks again, now. */
  refresh(): void;
}

/** An opened driver. Close it after its last instance is gone. */
export interface Driver extends EntryPoints, Disposable {
  /** The file the driver was loaded from, or its name when it was not; `""` for all that were found, if there is none. */
  readonly path: string;
  /** How drivers are looked for that it stands for. Absent: it stays what it is. */
  readonly search?: LiveSearch;
  /** Closes the driver. A second call does nothing. */
  close(): void;
}

/** A driver that is in this process already, such as one made of callbacks. */
export interface DirectDriver {
  /** What to call it in messages. */
  readonly name: string;
  /** Address of its vk_icdGetInstanceProcAddr; it must negotiate interface version 7 through it. */
  readonly getInstanceProcAddr: bigint;
}

/**
 * Opens a driver library: an Android HAL module (it exports `HMI`) or an ICD
 * (it exports vk_icdGetInstanceProcAddr, or plain vkGetInstanceProcAddr).
 * Throws a {@linkcode DriverError} that names the file, what was found and
 * what to do; nothing stays open then.
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

/** Takes a driver that is in this process already. Throws a {@linkcode DriverError} when it does not negotiate version 7. */
export function openDirectDriver({ name, getInstanceProcAddr }: DirectDriver): Driver {
  return driverOf(name, directEntryPoints(name, getInstanceProcAddr));
}

/** A driver made of addresses; it owns the library they lie in, if there is one. */
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

/** How a library is opened. */
export interface LibraryOptions {
  /** Flags of `dlopen`; absent: resolve functions when first called. */
  readonly flags?: number;
  /** Whether none of Deno's operations may be called, as inside callbacks. */
  readonly quiet?: boolean;
}

/** Loads a library to look in it for a driver. Throws a {@linkcode DriverError} when that cannot be done. */
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
    },
  );
}

/** Whether a library could not be opened, for this reason, because it is for processes of another width: no fault of it. */
export function isOtherWidth(reason: string): boolean {
  return /wrong ELF class|found a 32-bit library/.test(reason);
}
