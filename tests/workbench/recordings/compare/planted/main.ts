/**
 * Plants faults into recorded programs, and judges what a comparison of a
 * driver with itself and the fault says. Prints a row for each fault.
 *
 * ```sh
 * deno run -A --import-map=tools/offline_import_map.json tests/workbench/recordings/compare/planted/main.ts
 * ```
 *
 * Options: `--programs=demo,fuzzed` which programs (default: all), `--places=N`
 * in how many places of each program each kind is planted (default 3),
 * `--sample=N` only so many kinds, each only once, `--seed=N` which places (default 0),
 * `--kind=NAME` only this kind; may be repeated, `--rows=FILE` a file that gets
 * the rows and whose faults are not judged again, and `--json` data instead of
 * text. The exit code is 1 if something was judged wrong.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { lavapipePath } from "../../../../../tools/setup/parts.ts";
import { type Case, matrix, sample, withoutPlaces } from "./cases.ts";
import type { Fault } from "./fault.ts";
import { Judge, type Verdict } from "./judge.ts";
import { PROGRAMS } from "./programs.ts";

const { values } = parseArgs({
  options: {
    programs: { type: "string", default: Object.keys(PROGRAMS).join() },
    places: { type: "string", default: "3" },
    seed: { type: "string", default: "0" },
    sample: { type: "string" },
    kind: { type: "string", multiple: true },
    rows: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

/** The row about a fault. */
export interface Row {
  readonly program: string;
  readonly kind: string;
  /** The call that is changed. */
  readonly call: string;
  /** The command that was named; undefined for no difference. */
  readonly named?: string;
  readonly line?: number;
  /** The reason why that is wrong. */
  readonly wrong?: string;
}

const driver = lavapipePath()!, folder = Deno.makeTempDirSync({ prefix: "planted-programs-" });
try {
  const programs = values.programs.split(",").flatMap((name) => PROGRAMS[name](driver, folder));
  const cases = values.sample
    ? sample(programs, Number(values.seed), Number(values.sample))
    : matrix(programs, Number(values.seed), Number(values.places));
  const rows = await judged(chosen(cases)), wrong = rows.filter((row) => row.wrong !== undefined);
  const named = rows.filter((row) => row.named !== undefined).length, nowhere = withoutPlaces(programs);
  if (values.json) console.log(JSON.stringify({ rows, nowhere }));
  else {console.log(
      `${rows.length} faults, ${named} named, ${wrong.length} wrong; nowhere: ${nowhere.join(", ") || "none"}`,
    );}
  Deno.exitCode = wrong.length > 0 ? 1 : 0;
} finally {
  Deno.removeSync(folder, { recursive: true });
}

/** The faults of the kinds that are asked for. */
function chosen(cases: readonly Case[]): Case[] {
  const { kind: kinds } = values;
  return cases.map(({ program, faults }) => ({
    program,
    faults: faults.filter(({ kind }) => !kinds || kinds.includes(kind)),
  }));
}

/** The rows of an earlier run, by what is told of each fault. */
function known(): Map<string, Row> {
  const { rows } = values, lines = rows && existsSync(rows) ? Deno.readTextFileSync(rows).split("\n") : [];
  const found = lines.filter((line) => line.endsWith("}")).map((line): Row => JSON.parse(line));
  return new Map(found.map((row) => [keyOf(row), row]));
}

function keyOf({ program, kind, call }: Pick<Row, "program" | "kind" | "call">): string {
  return `${program}: ${kind}: ${call}`;
}

async function judged(cases: readonly Case[]): Promise<Row[]> {
  await using judge = new Judge(driver);
  const rows: Row[] = [], before = known(), all = cases.reduce((sum, { faults }) => sum + faults.length, 0);
  for (const { program, faults } of cases) {
    if (faults.length > 0) judge.program(program.stream);
    for (const fault of faults) {
      const told = { program: program.name, kind: fault.kind, call: callOf(fault) }, earlier = before.get(keyOf(told));
      const row = earlier ?? { ...told, ...resultOf(await judge.judge(fault)) };
      rows.push(row);
      if (values.rows && !earlier) Deno.writeTextFileSync(values.rows, `${JSON.stringify(row)}\n`, { append: true });
      if (!values.json) console.log(textOf(row));
      else if (Deno.stderr.isTerminal()) Deno.stderr.writeSync(new TextEncoder().encode(`\r${rows.length} of ${all}`));
    }
  }
  return rows;
}

function callOf({ command, buffer, nth }: Fault): string {
  return `${command} ${nth}${buffer === undefined ? "" : ` of command buffer ${buffer}`}`;
}

function resultOf({ finding, wrong }: Verdict) {
  return { named: finding?.action?.command, line: finding?.action?.line, ...wrong && { wrong } };
}

function textOf({ program, kind, call, named, line, wrong }: Row): string {
  const told = named ? `${named}, line ${line}` : "no difference";
  return `${wrong ? "WRONG" : "right"}  ${program}: ${kind}: ${call}: ${wrong ?? told}`;
}
