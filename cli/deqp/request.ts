import { readCaseList } from "../../workbench/runs/deqp/case_list.ts";
import type { DeqpOptions } from "../../workbench/runs/deqp/options.ts";
import type { Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { textIn } from "../../workbench/process/files.ts";
import { knownOf, reading, retriesOf, wholeNumber } from "../test/known.ts";

/** Whether LIST is a suite: lists of cases are text files. */
export function isSuite(operand: string | undefined): operand is string {
  return operand?.endsWith(".toml") === true;
}

/**
 * Reads the options of a run of a list. The command is empty where none is given, since a run that is joined has its
 * own. Throws {@linkcode WrongUse} for an invalid option, an unreadable file or a suite.
 */
export function runOptions(request: Request): DeqpOptions {
  const { operand, values } = request;
  if (operand === undefined) throw new WrongUse("deqp: LIST is missing: name a file with the cases, one a line");
  if (isSuite(operand)) throw new WrongUse("deqp: a suite runs on this machine alone; over a queue, give a list");
  return {
    command: reading("--command", values.command as string | undefined ?? "", shellWords),
    caseList: reading("deqp", operand, casesIn),
    ...sharedOptions(request),
  };
}

/** Reads the options that hold for all parts of a run. Throws {@linkcode WrongUse} as {@linkcode runOptions} does. */
export function sharedOptions(request: Request): Omit<DeqpOptions, "command" | "caseList"> {
  const text = (name: string) => request.values[name] as string | undefined;
  const seconds = wholeNumber("--timeout", text("timeout"), 0);
  return {
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
