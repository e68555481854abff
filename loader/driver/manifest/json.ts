import { DriverError } from "../../error.ts";
import { denoHost, type Host } from "../host/host.ts";
import { notUtf8 } from "../environment/variables.ts";
import { Refusal, type Said } from "../report/refusal.ts";

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
      { message: `loader_get_json: Invalid JSON file ${path}.`, level: "error" },
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
  return { message: `loader_get_json: Failed to open JSON file ${path}`, level: "error" };
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
