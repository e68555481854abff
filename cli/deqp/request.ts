import { readCaseList } from "../../loader/deqp/case_list.ts";
import type { DeqpOptions } from "../../loader/deqp/options.ts";
import { parsePatterns } from "../../loader/deqp/patterns.ts";
import { parseResults } from "../../loader/deqp/results_file.ts";
import type { DeqpCase } from "../../loader/deqp/status.ts";
import { type Request, WrongUse } from "../command.ts";

/** Reads the options of a run. Throws {@linkcode WrongUse} for an invalid option or an unreadable file. */
export function runOptions({ operand, values }: Request): DeqpOptions {
  const text = (name: string) => values[name] as string | undefined,
    patterns = (name: string) => {
      const path = text(name);
      return path === undefined ? undefined : reading(`--${name}`, path, (file) => parsePatterns(contentOf(file)));
    };
  if (operand === undefined) throw new WrongUse("deqp: LIST is missing: name a file with the cases, one a line");
  const seconds = number("--timeout", text("timeout"), 0), baseline = text("baseline");
  return {
    command: reading("--command", text("command")!, shellWords),
    caseList: reading("deqp", operand, casesIn),
    shards: number("--shards", text("shards"), 1),
    groupSize: number("--group-size", text("group-size"), 1),
    retries: number("--retries", text("retries"), 0),
    timeout: seconds === undefined ? undefined : 1000 * seconds,
    baseline: baseline === undefined ? undefined : statuses(readResults("--baseline", baseline)),
    flakes: patterns("flakes"),
    skips: patterns("skips"),
  };
}

function casesIn(path: string): string[] {
  const cases = readCaseList(path);
  if (cases.length === 0) throw new TypeError("the list has no cases; write a case's name in each line");
  return cases;
}

/** Reads a file of results. Throws {@linkcode WrongUse} when it is none. */
export function readResults(option: string, path: string): DeqpCase[] {
  return reading(option, path, (file) => parseResults(contentOf(file)));
}

function statuses(cases: readonly DeqpCase[]): NonNullable<DeqpOptions["baseline"]> {
  return new Map(cases.map(({ name, status }) => [name, status]));
}

function contentOf(path: string): string {
  return Deno.readTextFileSync(path);
}

function reading<Value>(option: string, what: string, read: (what: string) => Value): Value {
  try {
    return read(what);
  } catch (error) {
    throw new WrongUse(`${option}: ${what}: ${(error as Error).message}`);
  }
}

function number(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least) return value;
  throw new WrongUse(`${option}: "${text}" is not a whole number of ${least} or more`);
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
