import { DriverError } from "../error.ts";

/** Reads a manifest file as a JSON object, or throws a {@linkcode DriverError} that names the file and the fault. */
export function readManifest(path: string, kind: string): Record<string, unknown> {
  const text = readText(path, kind);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new DriverError(
      path,
      `Cannot read ${kind} manifest "${path}": it is not JSON (${(error as Error).message}); mend the file`,
      { cause: error },
    );
  }
  throw new DriverError(path, `Cannot read ${kind} manifest "${path}": its top level is not an object; mend the file`);
}

function readText(path: string, kind: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    const advice = error instanceof Deno.errors.NotCapable ? "allow reading it (--allow-read)" : "check the path";
    throw new DriverError(path, `Cannot read ${kind} manifest "${path}": ${(error as Error).message}; ${advice}`, {
      cause: error,
    });
  }
}

/** Whether a JSON value is an object with keys. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The string under `key`, or a {@linkcode DriverError} naming the key that is missing or of another kind. */
export function requireText(path: string, kind: string, object: Record<string, unknown>, key: string): string {
  const value = object[key];
  if (typeof value === "string" && value !== "") return value;
  const found = value === undefined ? "is missing" : `is ${JSON.stringify(value)}`;
  throw new DriverError(path, `Cannot read ${kind} manifest "${path}": "${key}" ${found}; write it as a string`);
}
