import { readCaseList } from "../../loader/deqp/case_list.ts";
import type { DeqpOptions } from "../../loader/deqp/options.ts";
import { type Request, WrongUse } from "../command.ts";
import { textIn } from "../files.ts";
import { knownOf, reading, retriesOf, wholeNumber } from "../runs/known.ts";

/**
 * Reads the options of a run. The command is empty where none is given, since a run that is joined has its own. Throws
 * {@linkcode WrongUse} for an invalid option or an unreadable file.
 */
export function runOptions(request: Request): DeqpOptions {
  const { operand, values } = request, text = (name: string) => values[name] as string | undefined;
  if (operand === undefined) throw new WrongUse("deqp: LIST is missing: name a file with the cases, one a line");
  const seconds = wholeNumber("--timeout", text("timeout"), 0);
  return {
    command: reading("--command", text("command") ?? "", shellWords),
    caseList: reading("deqp", operand, casesIn),
    shards: wholeNumber("--shards", text("shards"), 1),
    groupSize: wholeNumber("--group-size", text("group-size"), 1),
    retries: retriesOf(request),
    timeout: seconds === undefined ? undefined : 1000 * seconds,
    ...knownOf(request),
  };
}

function casesIn(path: string): string[] {
  textIn("deqp", path); // a file that is no text has no cases
  const cases = readCaseList(path);
  if (cases.length === 0) throw new TypeError("the list has no cases; write a case's name in each line");
  return cases;
}

/**
 * The words of a command line as a shell has them: between spaces, in quotes
 * with them. Throws a `TypeError` for a quote without an end.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(shellWords("./deqp-vk '--a=b c' \"d e\"f"), ["./deqp-vk", "--a=b c", "d ef"]);
 * ```
 */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined, quote = "";
  for (const character of line) {
    if (quote === character) quote = "";
    else if (quote === "" && /["']/.test(character)) [quote, word] = [character, word ?? ""];
    else if (quote !== "" || !/\s/.test(character)) word = (word ?? "") + character;
    else if (word !== undefined) [word] = [undefined, words.push(word)];
  }
  if (quote !== "") throw new TypeError(`Cannot read the command ${line}: a ${quote} is not closed`);
  return word === undefined ? words : [...words, word];
}
