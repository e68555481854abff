import { writeWhole } from "../../ffi/file/whole_file.ts";
import { WsiError } from "../error.ts";

/** A number in a path, as printf writes it: `%d`, or `%04d` with so many digits at least. */
const NUMBER = /%(?:0(\d+))?d/;

/**
 * Paths of numbered files. A pattern with `%d` or `%04d` in it has the number
 * there; one that ends with `extension` and has no number is one file, written
 * again for every number; anything else is a folder, of `frame-0001` and so on.
 */
export function pathsOf(pattern: string, extension: string): (number: number) => string {
  if (NUMBER.test(pattern)) {
    return (number) => pattern.replace(NUMBER, (_, digits) => `${number}`.padStart(Number(digits ?? 0), "0"));
  }
  if (pattern.endsWith(extension)) return () => pattern;
  const folder = pattern.replace(/\/+$/, "");
  return (number) => `${folder}/frame-${`${number}`.padStart(4, "0")}${extension}`;
}

/** Writes a file and the folders above it. Throws a {@linkcode WsiError} `write-failed`. */
export function writeWithFolders(path: string, bytes: Uint8Array): void {
  try {
    makeFoldersOf(path);
    writeWhole(path, bytes);
  } catch (cause) {
    const message = `Cannot write "${path}": ${(cause as Error).message}; give a path that can be written`;
    throw new WsiError("write-failed", message, { cause });
  }
}

/** Makes the folders above a path. Needs no permission to read them. */
export function makeFoldersOf(path: string): void {
  const end = path.lastIndexOf("/");
  if (end > 0) Deno.mkdirSync(path.slice(0, end), { recursive: true });
}
