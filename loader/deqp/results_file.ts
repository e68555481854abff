import { listLines } from "./case_list.ts";
import { parseQpa } from "./qpa.ts";
import { type DeqpCase, statusOf } from "./status.ts";

/**
 * Reads results: lines of `name,status` and perhaps seconds, as baselines and
 * the results of common runners have them, or a log of dEQP's (QPA).
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

/** Writes results as {@linkcode parseResults} reads them. */
export function resultLines(results: readonly DeqpCase[]): string {
  return results.map(({ name, status, seconds }) => `${name},${status}${seconds === undefined ? "" : `,${seconds}`}\n`)
    .join("");
}
