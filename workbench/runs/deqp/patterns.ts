import { listLines } from "./case_list.ts";

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
