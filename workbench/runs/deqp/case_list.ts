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

/** Whether a case matches. */
export type CaseMatcher = (name: string) => boolean;

/**
 * Parses patterns, one a line, as files of skips and flakes have them: names as
 * they are, regular expressions for whole names or for groups, or with `*` and
 * `?` for any characters. A group ends before a `.`, or before ` / ` in the
 * names of driver tests.
 *
 * @throws {SyntaxError} for a line that is neither.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const isSkipped = parsePatterns("# slow\ndEQP-VK.wsi\n*.stress.*\ndEQP-GLES[23].perf.*");
 * const names = ["dEQP-VK.wsi.x", "dEQP-VK.wsix", "a.stress.b", "dEQP-GLES3.perf.a"];
 * assertEquals(names.map(isSkipped), [true, false, true, true]);
 * ```
 */
export function parsePatterns(text: string): CaseMatcher {
  const lines = new Set(listLines(text)), patterns = [...lines].map(patternOf);
  return (name) => lines.has(name) || patterns.some((pattern) => pattern.test(name));
}

function patternOf(line: string): RegExp {
  try {
    return whole(line);
  } catch {
    return whole(line.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", "."));
  }
}

/** Matches a whole name, or that of a group around it. */
function whole(source: string): RegExp {
  return new RegExp(`^(?:${source})(?:(?:\\.| / ).*)?$`);
}
