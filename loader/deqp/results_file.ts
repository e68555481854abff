import { listLines } from "./case_list.ts";
import { parseQpa } from "./qpa.ts";
import { type DeqpCase, statusOf } from "./status.ts";

/**
 * Parses results: lines of `name,status` and optionally seconds, as in
 * baselines and results of common runners, or a log of dEQP (QPA).
 *
 * @throws {TypeError} for a line without a status.
 */
export function parseResults(text: string): DeqpCase[] {
  if (/^#(?:sessionInfo|beginSession|beginTestCaseResult)\b/m.test(text)) return parseQpa(text);
  return listLines(text).map((line): DeqpCase => {
    const [name, word = "", seconds] = line.split(",").map((each) => each.trim()), status = statusOf(word);
    if (status === undefined) throw new TypeError(`Cannot read "${line}": write name,status, such as dEQP-VK.a.b,Fail`);
    return { name, status, message: "", ...seconds ? { seconds: Number(seconds) } : {} };
  });
}

/** Formats results for {@linkcode parseResults}. */
export function resultLines(results: readonly DeqpCase[]): string {
  return results.map(({ name, status, seconds }) => `${name},${status}${seconds === undefined ? "" : `,${seconds}`}\n`)
    .join("");
}
