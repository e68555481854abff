import { DriverError } from "../../error.ts";
import { notUtf8 } from "../environment/variables.ts";
import { denoHost, type Host } from "../host/host.ts";
import { Refusal, type Said } from "../report/finding.ts";

/** Manifests have a few hundred bytes. A file larger than this is something else. */
const MOST_BYTES = 1 << 20;

/** Reads a manifest file as a JSON object. Throws a {@linkcode DriverError} that names the file and the fault. */
export function readManifest(path: string, kind: string, host: Host = denoHost()): Record<string, unknown> {
  const text = readText(path, kind, host);
  const value = parse(path, kind, text);
  if (isObject(value)) return value;
  throw new DriverError(
    "bad-manifest",
    path,
    `Cannot read ${kind} manifest "${path}": its top level is not an object; mend the file`,
  );
}

function parse(path: string, kind: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal(
      "bad-manifest",
      path,
      `Cannot read ${kind} manifest "${path}": it is not JSON (${(error as Error).message}); mend the file`,
      { message: `loader_get_json: Invalid JSON file ${path}.`, level: "error", category: "none" },
      { cause: error },
    );
  }
}

function readText(path: string, kind: string, host: Host): string {
  try {
    refuseOther(path, kind, host);
    const bytes = host.readFile(path);
    if (bytes.length <= MOST_BYTES) return new TextDecoder().decode(bytes);
    throw new DriverError(
      "bad-manifest",
      path,
      `Cannot read ${kind} manifest "${path}": it has ${bytes.length} bytes; name a manifest`,
    );
  } catch (error) {
    if (error instanceof DriverError) throw error;
    const advice = error instanceof Deno.errors.NotCapable ? "allow reading it (--allow-read)" : "check the path";
    const reason = `Cannot read ${kind} manifest "${path}": ${(error as Error).message}; ${advice}`;
    throw new Refusal("bad-manifest", path, reason, cannotOpen(path), { cause: error });
  }
}

/** Only regular files are opened: reading a pipe or a device might never end. */
function refuseOther(path: string, kind: string, host: Host): void {
  const found = host.exists(path);
  if (found === "file") return;
  const what = found === undefined
    ? (notUtf8(path) ?? "found no such file; check the path")
    : found === "folder"
    ? "found a folder; check the path"
    : "found no regular file; check the path";
  const code = found === undefined ? "not-found" : "bad-manifest";
  throw new Refusal(code, path, `Cannot read ${kind} manifest "${path}": ${what}`, cannotOpen(path));
}

function cannotOpen(path: string): Said {
  return { message: `loader_get_json: Failed to open JSON file ${path}`, level: "error", category: "none" };
}

/** Whether a JSON value is an object with keys. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns the string under `key`. Throws a {@linkcode Refusal} that names a
 * missing key or a value of another type; `say`, if given, returns the Khronos
 * loader's message for the value.
 */
export function requireText(
  path: string,
  kind: string,
  object: Record<string, unknown>,
  key: string,
  say?: (value: unknown) => Said,
): string {
  const value = object[key];
  if (typeof value === "string" && value !== "") return value;
  const found = value === undefined ? "is missing" : `is ${shortened(value)}`;
  const reason = `Cannot read ${kind} manifest "${path}": "${key}" ${found}; write it as a string`;
  throw new Refusal("bad-manifest", path, reason, say?.(value));
}

/** Formats a JSON value for a message, cut if it is too long. */
export function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The contents of an ICD manifest. */
export interface IcdManifest {
  /** The manifest file. */
  readonly path: string;
  /** The driver library: an absolute path, or a bare name for the system's search path. */
  readonly library: string;
  /** The Vulkan version the driver claims, such as "1.3.230". */
  readonly apiVersion: string;
  /** The file_format_version. */
  readonly format: string;
  /** Whether the format is newer than any that the loader knows. */
  readonly isNewer: boolean;
  /** Whether the driver is a portability driver (not fully conformant). */
  readonly portability: boolean;
  /** Harmless oddities of the manifest. */
  readonly notes: readonly string[];
}

/** The newest file_format_version that the loader knows, 1.0.1, three digits a part. Later ones are read as well. */
const NEWEST_FORMAT = 1_000_001;
/** The beginning of the Khronos loader's messages about a driver's manifest. */
const PARSE = "loader_parse_icd_manifest:";

/**
 * Reads an ICD manifest (file_format_version 1.0.0 and 1.0.1; later ones are
 * read in the same way). Throws a {@linkcode Refusal} that says what is wrong.
 */
export function readIcdManifest(path: string, host: Host = denoHost()): IcdManifest {
  const manifest = readManifest(path, "driver", host);
  const icd = manifest.ICD;
  if (!isObject(icd)) {
    throw refusal(path, `it has no "ICD" object; is it a layer's manifest?`, {
      message: `${PARSE} Can not find 'ICD' object in ICD JSON file ${path}. Skipping ICD JSON`,
    });
  }
  const notes: string[] = [];
  const apiVersion = requireText(path, "driver", icd, "api_version", () => ({
    message: `${PARSE} ICD JSON ${path} does not have an 'api_version' field. Skipping ICD JSON.`,
  }));
  const library = locateLibrary(path, requireLibrary(path, icd), host, notes);
  checkWidth(path, icd.library_arch, notes);
  checkVariant(path, apiVersion, notes);
  const format = checkedFormat(path, manifest.file_format_version, notes), isNewer = packed(format) > NEWEST_FORMAT;
  return { path, library, apiVersion, format, isNewer, portability: icd.is_portability_driver === true, notes };
}

/**
 * Parses a version such as "1.3.230", or "0.1.3.230" with the variant in front.
 * A part that is not a number counts as 0.
 */
export function parseVersion(text: string): { variant: number; major: number; minor: number; patch: number } {
  const parts = text.split(".").map((part) => Number.parseInt(part) || 0);
  const [variant, major, minor = 0, patch = 0] = parts.length > 3 ? parts : [0, ...parts];
  return { variant, major, minor, patch };
}

/**
 * Resolves a library_path: an absolute path is unchanged, a path with a
 * separator is relative to the manifest, a bare name is for the system's search
 * path. Written by hand, because importing node:path would take a script longer
 * than all of the loader's modules.
 */
export function resolveLibrary(manifest: string, library: string): string {
  if (library.startsWith("/") || !library.includes("/")) return library;
  const folder = manifest.slice(0, manifest.lastIndexOf("/") + 1) || "./"; // a bare name would be searched for
  return folder + library.replace(/^(\.\/+)+/, "");
}

function requireLibrary(path: string, icd: Record<string, unknown>): string {
  const named = requireText(path, "driver", icd, "library_path", (value) => ({
    message: value === ""
      ? `${PARSE} ICD JSON ${path} 'library_path' field is empty. Skipping ICD JSON.`
      : `${PARSE} Failed to find 'library_path' object in ICD JSON file ${path}. Skipping ICD JSON.`,
  }));
  if (named.includes("\0")) throw refusal(path, `"library_path" holds a NUL; mend the file`);
  return named;
}

/**
 * Like {@linkcode resolveLibrary}. If nothing is there and the manifest is a
 * link, resolves relative to the link's target and adds a note.
 */
export function locateLibrary(path: string, named: string, host: Host, notes: string[]): string {
  const library = resolveLibrary(path, named);
  if (library === named || host.exists(library)) return library;
  const target = host.realPath(path);
  const behind = resolveLibrary(target, named);
  if (target === path || !host.exists(behind)) return library;
  notes.push(`library_path is relative to ${target}, which the manifest links to`);
  return behind;
}

function checkedFormat(path: string, format: unknown, notes: string[]): string {
  if (typeof format !== "string") {
    throw refusal(path, `"file_format_version" is missing; write "1.0.1"`, {
      message: `${PARSE} ICD JSON ${path} does not have a 'file_format_version' field. Skipping ICD JSON.`,
    });
  }
  const isNewer = packed(format) > NEWEST_FORMAT;
  if (isNewer) notes.push(`file_format_version ${shortened(format)} is newer than 1.0.1, read as if it were that`);
  return format;
}

/** Returns a file_format_version as one number, three digits a part. */
export function packed(format: string): number {
  const { major, minor, patch } = parseVersion(format);
  return major * 1_000_000 + minor * 1_000 + patch;
}

function checkVariant(path: string, apiVersion: string, notes: string[]): void {
  const { variant, major } = parseVersion(apiVersion);
  if (variant !== 0) {
    throw refusal(path, `api_version ${shortened(apiVersion)} has variant ${variant}; this loader has variant 0`, {
      message:
        `${PARSE} Driver's ICD JSON ${path} 'api_version' field contains a non-zero variant value of ${variant}. ` +
        " Skipping ICD JSON.",
      level: "info",
    });
  }
  if (major === 0) notes.push(`api_version ${shortened(apiVersion)} is no version of Vulkan`);
}

function checkWidth(path: string, libraryArch: unknown, notes: string[]): void {
  if (libraryArch === "32") {
    throw refusal(path, "library_arch is 32, this process is 64-bit; name the 64-bit manifest", {
      message:
        `${PARSE} Driver library architecture doesn't match the current running architecture, skipping this driver`,
      level: "info",
      category: "none",
    });
  }
  if (libraryArch !== undefined && libraryArch !== "64") {
    notes.push(`library_arch ${shortened(libraryArch)} is neither "32" nor "64", ignored`);
  }
}

function refusal(path: string, what: string, said?: Said): Refusal {
  return new Refusal("bad-manifest", path, `Cannot use driver manifest "${path}": ${what}`, said);
}
