/**
 * `deno task scale`: runs a campaign for days on up to a thousand machines that are simulated on a false clock, and
 * prints what that costs. The code of campaign, run and worker is that of real machines.
 *
 * @module
 */
import { exponentOf } from "../../bench/growth/subject.ts";
import { countsOf, differencesOf, simulate } from "../../tests/workbench/runs/queue/simulation/simulate.ts";
import { OptionError, readOptions, runTask } from "../task.ts";

const HELP = `deno task scale [--seed=N] [--days=N] [--machines=N,N,…]

  --seed      the seed by which machines join, die, freeze and return; without it, a random one
  --days      days of the false clock, with a run of the campaign each day; without it, 7
  --machines  numbers of machines, ascending; without it, 10,30,100,300,1000: that takes most of an hour

Exit status: 0 when every program was counted once and every difference told once, 1 if not, 2 for a wrong option.`;

const PAIRS = [["a", "b"], ["a", "c"]] as const;
const HOURS = 24, MILLISECONDS = 3_600_000;

/** The columns of the table whose growth with the machines is told. */
const GROWING = ["messages", "kB kept", "s of the run"] as const;
/** A row of the table. */
type Row = Readonly<Record<string, number>>;

async function main(): Promise<number> {
  const { values } = readOptions(HELP, {
    options: {
      seed: { type: "string", default: `${Date.now() % 1e9}` },
      days: { type: "string", default: "7" },
      machines: { type: "string", default: "10,30,100,300,1000" },
    },
  });
  const [seed, days] = [whole("seed", values.seed), whole("days", values.days)];
  const sizes = values.machines.split(",").map((each) => Math.max(1, whole("machines", each)));
  const rows: Row[] = [], wrong: string[] = [];
  for (const machines of sizes) {
    console.error(`simulating ${machines} machines …`);
    rows.push(await rowOf(machines, Math.max(1, days), seed, wrong));
  }
  console.log([...tableOf(rows), ...sizes.length > 1 ? [exponents(rows)] : [], `seed ${seed}`, ...wrong].join("\n"));
  return Number(wrong.length > 0);
}

/** Simulates so many machines. What was counted or told wrongly goes to `wrong`. */
async function rowOf(machines: number, runs: number, seed: number, wrong: string[]): Promise<Row> {
  const folder = Deno.makeTempDirSync();
  try {
    const done = await simulate({ machines, runs, hours: HOURS, seed, pairs: PAIRS, folder }),
      { kept, findings } = done;
    const is = (isSo: boolean, what: string) => isSo || wrong.push(`${machines} machines: ${what}`);
    for (const drivers of PAIRS) {
      const wanted = differencesOf(drivers, kept), found = countsOf(findings, drivers);
      const isSame = wanted.size === found.size && [...wanted].every(([name, count]) => found.get(name) === count);
      is(isSame, `the differences of ${drivers.join(" and ")} are not those that the programs show`);
    }
    is(new Set(done.told).size === done.told.length, "a difference was told twice");
    is(done.told.length === findings.length, `${done.told.length} of ${findings.length} differences were told`);
    const { joined, died, froze } = done.fleet, programs = done.runs.reduce((sum, each) => sum + each.programs, 0);
    return {
      machines,
      joined,
      died,
      froze,
      programs,
      "left over": PAIRS.reduce((sum, drivers) => sum + kept.left(drivers), 0),
      differences: findings.length,
      messages: done.messages,
      "a machine and hour": Math.round(done.messages / machines / done.time * MILLISECONDS),
      "kB kept": Math.round(done.bytes / 1000),
      "s of the run": Math.round(done.spent * 10) / 10,
    };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function tableOf(rows: readonly Row[]): string[] {
  const names = Object.keys(rows[0]), lines = [names, ...rows.map((row) => names.map((name) => `${row[name]}`))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines.map((line) => line.map((cell, column) => cell.padStart(widths[column])).join("  "));
}

function exponents(rows: readonly Row[]): string {
  const texts = GROWING.map((name) => {
    return `${name} ${exponentOf(rows.map((row) => [row.machines, row[name]]), false).toFixed(2)}`;
  });
  return `exponents: ${texts.join(", ")}`;
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new OptionError(`--${name} is "${text}"; give a whole number`);
}

if (import.meta.main) await runTask(HELP, main);
