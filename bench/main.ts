/**
 * Measures Pumice beside the same work in C, in turn, in the same process:
 * medians of nine rounds. `--json` prints one object with the figures' names as
 * keys; the table says what each means. Without the names of groups, such as
 * `layers`, it measures all.
 *
 * @module
 */
import { OptionError, readOptions, runTask } from "../tools/task.ts";
import { type Figure, figureTable, rounded } from "./figure.ts";
import { GROUPS } from "./groups.ts";
import { openParts, type Parts } from "./parts.ts";
import { type Change, readBase, WORSE, worseRatios } from "./report/worse.ts";

const HELP = `deno task bench [--json] [--report] [--compare=FILE] [GROUP...]

  --json          print one JSON object with the figures' names as keys
  --report        keep the figures in bench/records, and write docs/benchmarks.md and its charts
                  from the records of all machines
  --compare=FILE  end with 1 where a ratio is worse by more than a quarter than in FILE,
                  which --json printed; such a group is measured again before
  GROUP           what to measure; without any, everything:
                  ${[...GROUPS.keys()].join(", ")}`;

async function main(): Promise<number> {
  const { values: { json, report, compare }, positionals } = readOptions(HELP, {
    options: {
      json: { type: "boolean", default: false },
      report: { type: "boolean", default: false },
      compare: { type: "string" },
    },
    allowPositionals: true,
  });
  const base = compare === undefined ? undefined : baseOf(compare);
  const parts = openParts(), names = groupNames(positionals);
  const measured = await measuredGroups(names, (name) => measure(name, parts), report ? keeperOf(parts) : undefined);
  const worse = base === undefined ? [] : await worseTwice(base, measured, parts);
  const figures = [...measured.values()].flat();
  console.log(json ? jsonOf(figures) : figureTable(figures));
  if (report) await writeReport();
  for (const change of worse) console.error(sentenceOf(change));
  return worse.length > 0 || measured.size < names.length ? 1 : 0;
}

function groupNames(asked: readonly string[]): readonly string[] {
  const names = [...GROUPS.keys()], unknown = asked.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new OptionError(`Cannot measure "${unknown.join('", "')}": choose among ${names.join(", ")}`);
  }
  return asked.length === 0 ? names : names.filter((name) => asked.includes(name));
}

async function measure(name: string, parts: Parts): Promise<Figure[]> {
  console.error(`measuring ${name} …`);
  return await GROUPS.get(name)!(parts);
}

/**
 * The figures of each group, by its name, handed to `keep` as soon as there are any. A group whose measuring fails is
 * told, and left out: the others are measured all the same.
 */
export async function measuredGroups(
  names: readonly string[],
  measure: (name: string) => Promise<Figure[]>,
  keep?: Keep,
): Promise<Map<string, Figure[]>> {
  const measured = new Map<string, Figure[]>();
  for (const name of names) {
    try {
      measured.set(name, await measure(name));
    } catch (error) {
      console.error(`not measured: ${name}: ${(error as Error).stack ?? error}`);
      continue;
    }
    await keep?.(name, measured.get(name)!);
  }
  return measured;
}

function baseOf(path: string): Map<string, number> {
  try {
    return readBase(path);
  } catch (error) {
    throw new OptionError(`Cannot read the base: ${(error as Error).message}`);
  }
}

/** The ratios that are worse also when their group is measured again: one round of noise is no finding. */
async function worseTwice(base: Map<string, number>, measured: Map<string, Figure[]>, parts: Parts): Promise<Change[]> {
  const worse: Change[] = [];
  for (const [name, figures] of measured) {
    const first = worseRatios(base, figures).map((change) => change.name);
    if (first.length === 0) continue;
    const again = worseRatios(base, await measure(name, parts));
    worse.push(...again.filter((change) => first.includes(change.name)));
  }
  return worse;
}

function sentenceOf({ name, before, now }: Change): string {
  return `${name} is ${now.toPrecision(3)} ×, ${before.toPrecision(3)} × in the base: worse by more than ${
    Math.round(100 * (WORSE - 1))
  } %`;
}

function jsonOf(figures: readonly Figure[]): string {
  return JSON.stringify(Object.fromEntries(figures.map(({ name, value }) => [name, rounded(value)])), null, 2);
}

/** Keeps the figures of a group. */
type Keep = (name: string, figures: readonly Figure[]) => Promise<void>;

/** Returns what keeps a group's figures at once, since what comes after it may fail or be ended; tells the file. */
function keeperOf(parts: Parts): Keep {
  let about: { machine: string; versions: Record<string, string> } | undefined;
  return async (name, figures) => {
    const { keepRecord } = await import("./report/record.ts"),
      { machineName, versionsOf } = await import("./report/machine.ts");
    about ??= { machine: machineName(parts.lavapipe), versions: versionsOf(parts) };
    const date = new Date().toISOString().slice(0, 10), groups = { [name]: { date, figures } };
    console.error(`kept in ${keepRecord({ ...about, groups }).pathname}`);
  };
}

async function writeReport(): Promise<void> {
  const { writePage } = await import("./report/write.ts"); // only now: the records are kept also where no chart can be drawn
  console.error(`wrote ${await writePage()}`);
}

if (import.meta.main) await runTask(HELP, main);
