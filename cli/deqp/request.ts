import { readCaseList } from "../../workbench/runs/deqp/case_list.ts";
import { isObliged } from "../../workbench/runs/deqp/obligations.ts";
import type { DeqpOptions, DeqpPart } from "../../workbench/runs/deqp/options.ts";
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
export function runOptions(request: Request, print: (text: string) => void): DeqpOptions {
  const { operand, values } = request;
  if (operand === undefined) throw new WrongUse("deqp: LIST is missing: name a file with the cases, one a line");
  if (isSuite(operand)) throw new WrongUse("deqp: a suite runs on this machine alone; over a queue, give a list");
  const part = {
    command: reading("--command", values.command as string | undefined ?? "", shellWords),
    caseList: reading("deqp", operand, casesIn),
    ...sharedOptions(request),
  };
  return withinLevel(part, [[operand, part.caseList]], values.level as string | undefined, print);
}

/** Lists of cases: their files, and the cases of each. */
export type CaseLists = readonly (readonly [path: string, cases: readonly string[]])[];

/**
 * A part that skips the cases of lists that are newer than a claimed level, which a device of that level need not pass,
 * and says how many these are. Throws {@linkcode WrongUse} for a level that is no date.
 */
export function withinLevel<Part extends Pick<DeqpPart, "prefix" | "skips">>(
  part: Part,
  lists: CaseLists,
  level: string | undefined,
  print: (text: string) => void,
): Part {
  if (level === undefined) return part;
  const isAsked = ([path]: CaseLists[number]) => reading("--level", level, (date) => isObliged(path, date));
  const asked = new Set(lists.filter(isAsked).flatMap(([, cases]) => cases)), { prefix = "", skips } = part;
  const beyond = lists.filter((each) => !isAsked(each)).map(([path, cases]) =>
    [path, cases.filter((name) => !asked.has(name))] as const
  );
  for (const [path, cases] of beyond) {
    print(`${path}: ${cases.length} cases are skipped, which a device of level ${level} need not pass`);
  }
  const left = new Set(beyond.flatMap(([, cases]) => cases.map((name) => prefix + name)));
  return { ...part, skips: (name: string) => left.has(name) || (skips?.(name) ?? false) };
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
