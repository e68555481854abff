/**
 * `deno task scale`: runs a campaign for days on up to a thousand machines that are simulated on a false clock, and
 * prints what that costs. The code of campaign, run and worker is that of real machines.
 *
 * @module
 */
import { cpuUsage } from "node:process";
import { exponentOf } from "../../bench/growth/subject.ts";
import {
  countsOf,
  differencesOf,
  simulate,
  type Simulated,
} from "../../tests/workbench/runs/queue/simulation/simulate.ts";
import { OptionError, readOptions, runTask } from "../task.ts";

const HELP = `deno task scale [--seed=N] [--days=N] [--machines=N,N,…] [--out=FILE]

  --seed      the seed by which machines join, die, freeze and return; without it, a random one
  --days      days of the false clock, with a run of the campaign each day; without it, 7
  --machines  numbers of machines, ascending; without it, 10,30,100,300,1000: that takes most of an hour
  --out       a file that has the table after each simulated day, so that a command that is ended has told something

Exit status: 0 when every program was counted once and every difference told once, 1 if not, 2 for a wrong option.`;

const PAIRS = [["a", "b"], ["a", "c"]] as const;
const HOURS = 24, MILLISECONDS = 3_600_000;

/** The columns of the table whose growth with the machines is told. */
const GROWING = ["messages", "kB kept", "s of the run", "s of all"] as const;
/** A row of the table. */
type Row = Readonly<Record<string, number>>;

/** The days and the seed of a simulation. */
interface Options {
  readonly days: number;
  readonly seed: number;
}

async function main(): Promise<number> {
  const { values } = readOptions(HELP, {
    options: {
      seed: { type: "string", default: `${Date.now() % 1e9}` },
      days: { type: "string", default: "7" },
      machines: { type: "string", default: "10,30,100,300,1000" },
      out: { type: "string" },
    },
  });
  const options = { seed: whole("seed", values.seed), days: Math.max(1, whole("days", values.days)) };
  const sizes = values.machines.split(",").map((each) => Math.max(1, whole("machines", each)));
  const rows: Row[] = [], wrong: string[] = [];
  for (const machines of sizes) {
    const show = (row: Row) => keep(values.out, told([...rows, row], options, wrong));
    rows.push(await rowOf(machines, options, wrong, show));
  }
  keep(values.out, told(rows, options, wrong));
  console.log(told(rows, options, wrong));
  return Number(wrong.length > 0);
}

function keep(path: string | undefined, text: string): void {
  if (path !== undefined) Deno.writeTextFileSync(path, `${text}\n`);
}

/** The table, and what was counted or told wrongly. */
function told(rows: readonly Row[], { seed }: Options, wrong: readonly string[]): string {
  return [...tableOf(rows), ...rows.length > 1 ? [exponents(rows)] : [], `seed ${seed}`, ...wrong].join("\n");
}

/**
 * Simulates so many machines. What was counted or told wrongly goes to `wrong`; `show` gets the row so far after each
 * day.
 */
async function rowOf(
  machines: number,
  { days: runs, seed }: Options,
  wrong: string[],
  show: (row: Row) => void,
): Promise<Row> {
  const folder = Deno.makeTempDirSync(), before = processorSeconds(), worked = () => processorSeconds() - before;
  const progress = (done: Simulated) => {
    console.error(
      `${machines} machines: day ${done.runs.length} of ${runs}, ${worked().toFixed(0)} s of processor time`,
    );
    show(figuresOf(machines, done, worked()));
  };
  console.error(`${machines} machines: day 1 of ${runs} begins`);
  try {
    const done = await simulate({ machines, runs, hours: HOURS, seed, pairs: PAIRS, folder }, progress);
    wrong.push(...mistakesIn(done).map((what) => `${machines} machines: ${what}`));
    return figuresOf(machines, done, worked());
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Seconds of processor time of this process. */
function processorSeconds(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1e6;
}

/** Sentences about what was counted or told wrongly. */
function mistakesIn({ kept, findings, told }: Simulated): string[] {
  const unlike = PAIRS.filter((drivers) => {
    const wanted = differencesOf(drivers, kept), found = countsOf(findings, drivers);
    return wanted.size !== found.size || [...wanted].some(([name, count]) => found.get(name) !== count);
  });
  return [
    ...unlike.map((drivers) => `the differences of ${drivers.join(" and ")} are not those that the programs show`),
    ...new Set(told).size < told.length ? ["a difference was told twice"] : [],
    ...told.length === findings.length ? [] : [`${told.length} of ${findings.length} differences were told`],
  ];
}

function figuresOf(machines: number, done: Simulated, seconds: number): Row {
  const { fleet: { joined, died, froze }, kept, findings, messages, bytes, time, spent } = done;
  const tenths = (value: number) => Math.round(value * 10) / 10;
  return {
    machines,
    days: done.runs.length,
    joined,
    died,
    froze,
    programs: done.runs.reduce((sum, each) => sum + each.programs, 0),
    "left over": PAIRS.reduce((sum, drivers) => sum + kept.left(drivers), 0),
    differences: findings.length,
    messages,
    "a machine and hour": Math.round(messages / machines / time * MILLISECONDS),
    "kB kept": Math.round(bytes / 1000),
    "s of the run": tenths(spent),
    "s of all": tenths(seconds),
  };
}

function tableOf(rows: readonly Row[]): string[] {
  const names = Object.keys(rows[0]), lines = [names, ...rows.map((row) => names.map((name) => `${row[name]}`))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines.map((line) => line.map((cell, column) => cell.padStart(widths[column])).join("  "));
}

/** The rows of which all count for the growth; of more, the smaller half is left out. */
const FEW = 4;

function exponents(rows: readonly Row[]): string {
  const texts = GROWING.map((name) => {
    return `${name} ${exponentOf(rows.map((row) => [row.machines, row[name]]), rows.length < FEW).toFixed(2)}`;
  });
  return `exponents: ${texts.join(", ")}`;
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new OptionError(`--${name} is "${text}"; give a whole number`);
}

if (import.meta.main) await runTask(HELP, main);
