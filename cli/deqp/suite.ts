import { dirname, resolve } from "node:path";
import { parse } from "smol-toml";
import { checkOptions, list, number, type OptionRules, record, text, typed } from "../../ffi/check_options.ts";
import { type CaseMatcher, parsePatterns, readCaseList } from "../../workbench/runs/deqp/case_list.ts";
import type { DeqpPart } from "../../workbench/runs/deqp/options.ts";
import { parseResults } from "../../workbench/runs/deqp/results_file.ts";
import type { CaseLists } from "./request.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";

/** A part of a suite, and the driver that it states. */
export interface SuitePart extends DeqpPart {
  /** The driver: a path, or the name of a driver of this machine. */
  readonly driver?: string;
  /** The lists that its cases are from. */
  readonly lists: CaseLists;
}

/** The keys of a `[[deqp]]` table. Files are relative to the suite's folder. */
interface PartTable {
  readonly deqp: string;
  readonly caselists: readonly string[];
  readonly deqp_args?: readonly string[];
  readonly baseline?: string;
  readonly skips?: readonly string[];
  readonly flakes?: readonly string[];
  readonly include?: readonly string[];
  readonly prefix?: string;
  readonly driver?: string;
  readonly timeout?: number;
  readonly tests_per_group?: number;
  readonly fraction?: number;
  readonly fraction_start?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const FILES = list("a list of files", text("the path of a file")), TEXT = typed("a text", "string");
const KEYS: OptionRules<PartTable> = {
  deqp: text("the path of a program"),
  caselists: FILES,
  deqp_args: list("a list of arguments", TEXT),
  baseline: text("the path of a file"),
  skips: FILES,
  flakes: FILES,
  include: list("a list of patterns", text("a pattern")),
  prefix: TEXT,
  driver: text("a driver's name, library or manifest"),
  timeout: number,
  tests_per_group: number,
  fraction: number,
  fraction_start: number,
  env: record("a table of texts by the variables' names", TEXT),
};

/** Reads a suite. Throws {@linkcode WrongUse} for a file that cannot be read, and for one that makes no sense. */
export function readSuite(path: string): readonly SuitePart[] {
  try {
    const { deqp, ...others } = parse(Deno.readTextFileSync(path)), [other] = Object.keys(others);
    if (other !== undefined) throw new TypeError(`Cannot run ${other}: a suite has [[deqp]] tables alone`);
    if (!Array.isArray(deqp) || deqp.length === 0) throw new TypeError("it has no part: begin one with [[deqp]]");
    return deqp.map((part, at) => partOf(part as unknown as PartTable, `part ${at + 1}`, dirname(resolve(path))));
  } catch (error) {
    throw new WrongUse(`deqp: ${path}: ${(error as Error).message}`);
  }
}

function partOf(table: PartTable, title: string, folder: string): SuitePart {
  checkOptions(title, table, KEYS, ["deqp", "caselists"]);
  const file = (path: string) => resolve(folder, path.replace(/^~(?=\/)/, () => Deno.env.get("HOME") ?? "~"));
  const { deqp, deqp_args = [], prefix, driver, timeout, tests_per_group, env, baseline, skips, flakes } = table;
  const program = deqp.includes("/") ? file(deqp) : deqp;
  if (program.includes("/")) Deno.statSync(program); // a long run would miss it late
  const lists = table.caselists.map((path) => [path, readCaseList(file(path))] as const);
  return {
    lists,
    command: [program, ...deqp_args],
    caseList: casesOf(table, title, lists),
    prefix,
    driver: driver?.includes("/") ? file(driver) : driver,
    timeout: timeout === undefined ? undefined : 1000 * timeout,
    groupSize: tests_per_group,
    environment: env,
    baseline: baseline === undefined ? undefined : statusesIn(file(baseline)),
    skips: anyOf(skips?.map(file)),
    flakes: anyOf(flakes?.map(file)),
  };
}

/** Every `fraction`-th case of all lists from the `fraction_start`-th on; of these, the ones that `include` names. */
function casesOf(table: PartTable, title: string, lists: CaseLists): string[] {
  const { include, fraction = 1, fraction_start: start = 1 } = table;
  if (!Number.isInteger(fraction) || !Number.isInteger(start) || fraction < 1 || start < 1 || start > fraction) {
    throw new TypeError(
      `Cannot run the part ${start} of ${fraction} of ${title}: give fraction_start from 1 to fraction`,
    );
  }
  const all = [...new Set(lists.flatMap(([, cases]) => cases))];
  const isIncluded = include ? parsePatterns(include.join("\n")) : () => true;
  const cases = all.filter((name, at) => at % fraction === start - 1 && isIncluded(name));
  if (cases.length > 0) return cases;
  throw new TypeError(`${title} has no cases: its lists have ${all.length}, of which include and fraction leave none`);
}

function statusesIn(path: string): NonNullable<DeqpPart["baseline"]> {
  return new Map(parseResults(Deno.readTextFileSync(path)).map(({ name, status }) => [name, status]));
}

function anyOf(paths: readonly string[] | undefined): CaseMatcher | undefined {
  return paths && parsePatterns(paths.map((path) => Deno.readTextFileSync(path)).join("\n"));
}
