import { dirname, resolve } from "node:path";

/** Returns the lines of a list without comments and empty lines. */
export function listLines(text: string): string[] {
  return text.split("\n").map((line) => line.replace(/(^|\s)#.*$/, "").trim()).filter((line) => line !== "");
}

/**
 * Reads a list of cases, one a line. Lines that end in `.txt` name other lists
 * beside it, as in the mustpass lists.
 *
 * @throws {Deno.errors.NotFound} if a list does not exist.
 *
 * @example
 * ```ts
 * import { readCaseList } from "@pumice/gfx/check";
 * import { assertEquals } from "@std/assert";
 *
 * const path = Deno.makeTempFileSync();
 * Deno.writeTextFileSync(path, "# smoke\ndEQP-VK.api.smoke.triangle\n");
 * assertEquals(readCaseList(path), ["dEQP-VK.api.smoke.triangle"]);
 * Deno.removeSync(path);
 * ```
 */
export function readCaseList(path: string): string[] {
  return [...new Set(read(resolve(path), []))];
}

function read(path: string, within: readonly string[]): string[] {
  if (within.includes(path)) throw new TypeError(`Cannot read the list "${path}": it contains itself`);
  return listLines(Deno.readTextFileSync(path)).flatMap((line) => {
    return line.endsWith(".txt") ? read(resolve(dirname(path), line), [...within, path]) : [line];
  });
}
