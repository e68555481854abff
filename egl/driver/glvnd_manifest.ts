import type { Host } from "../../loader/driver/host/host.ts";
import {
  isObject,
  readManifest,
  requireText,
  resolveLibrary,
  shortened,
} from "../../loader/driver/manifest/manifest.ts";
import { DriverError } from "../../loader/error.ts";

/** The contents of a vendor's manifest. */
export interface VendorManifest {
  /** The manifest file. */
  readonly path: string;
  /** The vendor library: absolute, or a bare name for the system's search path. */
  readonly library: string;
}

const KIND = "EGL vendor";

/**
 * Reads a manifest of libglvnd's. Only file_format_version 1.0 is known, with any third number. A library_path with a
 * folder is relative to the folder of the manifest, after links. Throws a {@linkcode DriverError} that says what is
 * wrong.
 */
export function readVendorManifest(path: string, host: Host): VendorManifest {
  const manifest = readManifest(path, KIND, host);
  checkFormat(path, requireText(path, KIND, manifest, "file_format_version"));
  if (!isObject(manifest.ICD)) throw refusal(path, 'it has no "ICD" object; write one with "library_path"');
  const named = requireText(path, KIND, manifest.ICD, "library_path");
  if (named.includes("\0")) throw refusal(path, '"library_path" holds a NUL; mend the file');
  return { path, library: resolveLibrary(named.includes("/") ? host.realPath(path) : path, named) };
}

function checkFormat(path: string, format: string): void {
  const [, major, minor = "0"] = /^(\d+)(?:\.(\d+))?/.exec(format) ?? [];
  if (Number(major) === 1 && Number(minor) === 0) return;
  throw refusal(path, `file_format_version is ${shortened(format)}; only 1.0 is known, write "1.0.0"`);
}

function refusal(path: string, what: string): DriverError {
  return new DriverError("bad-manifest", path, `Cannot use ${KIND} manifest "${path}": ${what}`);
}
