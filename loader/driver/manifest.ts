import { DriverError } from "../error.ts";
import { isObject, readManifest, requireText } from "./json.ts";

/** What an ICD manifest says. */
export interface IcdManifest {
  /** The manifest file. */
  readonly path: string;
  /** The driver library: absolute, or a bare name for the system's search path. */
  readonly library: string;
  /** The Vulkan version the driver claims, such as "1.3.230". */
  readonly apiVersion: string;
  /** Whether the driver is a portability driver (not fully conformant). */
  readonly portability: boolean;
}

/** Reads an ICD manifest (file_format_version 1.0.0 and 1.0.1). Throws a {@linkcode DriverError} that says what is wrong with it. */
export function readIcdManifest(path: string): IcdManifest {
  const manifest = readManifest(path, "driver");
  const icd = manifest.ICD;
  if (!isObject(icd)) {
    throw new DriverError(
      path,
      `Cannot read driver manifest "${path}": it has no "ICD" object; is it a layer's manifest?`,
    );
  }
  const apiVersion = requireText(path, "driver", icd, "api_version");
  const library = resolveLibrary(path, requireText(path, "driver", icd, "library_path"));
  refuseOtherWidth(path, icd.library_arch);
  return { path, library, apiVersion, portability: icd.is_portability_driver === true };
}

/**
 * A library_path: absolute as it is, with a separator relative to the manifest,
 * a bare name for the system's search path. Done by hand, because importing
 * node:path would cost a script more time than all of the loader's modules.
 */
export function resolveLibrary(manifest: string, library: string): string {
  if (library.startsWith("/") || !library.includes("/")) return library;
  const folder = manifest.slice(0, manifest.lastIndexOf("/") + 1);
  return folder + library.replace(/^(\.\/)+/, "");
}

function refuseOtherWidth(path: string, libraryArch: unknown): void {
  if (libraryArch === undefined || libraryArch === "64") return;
  throw new DriverError(
    path,
    `Cannot use driver manifest "${path}": library_arch is ${
      JSON.stringify(libraryArch)
    }, this process is 64-bit; name the 64-bit manifest`,
  );
}
