/**
 * Gives a driver a fault of each kind, one after the other, reduces a program on
 * which the driver parts from itself, and tells what is left: calls beyond
 * creation, what became of the script, and seconds.
 *
 * ```sh
 * deno run -A --import-map=tools/offline_import_map.json tests/workbench/recordings/reduce/planted_main.ts
 * ```
 *
 * Options: `--kinds="a barrier left out,another topology"` which kinds (default:
 * all), `--programs=fuzzed,demo` which programs, `--out=FOLDER` keeps
 * recordings and scripts, `--rows=FILE` a file that gets the rows and whose kinds
 * are not reduced again, `--unvalidated` leaves out the validation layer, and
 * `--json` prints data. The exit code is 1 if too much is left of a fault, or if
 * a script does not do as it should.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { reduceRecording } from "../../../../workbench/recordings/mod.ts";
import { allFormats } from "../../../../workbench/programs/formats.ts";
import { readRecording, writeRecording } from "../../../../workbench/layers.ts";
import { lavapipePath, validationManifest } from "../../../../tools/setup/parts.ts";
import { KINDS } from "../compare/planted/kinds.ts";
import { faultsOf } from "../compare/planted/places.ts";
import { type Program, PROGRAMS } from "../compare/planted/programs.ts";
import { callsIn, isRight, knownRows, type Row, rowOf, summaryOf } from "./planted_rows.ts";

const LAYER = new URL("always_layer.ts", import.meta.url).pathname;
/** One driver computes the same twice: nothing is tolerated. */
const EXACT = Object.fromEntries(allFormats().map(({ value }) => [value, 0]));
/** The most random programs that are tried for one in which a fault changes something. */
const MOST_RANDOM = 8;
const TIMEOUT = 60_000;

const { values } = parseArgs({
  options: {
    kinds: { type: "string" },
    programs: { type: "string", default: Object.keys(PROGRAMS).join() },
    out: { type: "string" },
    rows: { type: "string" },
    unvalidated: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const driver = lavapipePath()!, folder = Deno.makeTempDirSync({ prefix: "planted-reduce-" });
Deno.env.set("ALWAYS", `${folder}/kind`);
try {
  const programs = values.programs.split(",").flatMap((name) => PROGRAMS[name](driver, folder));
  const rows = await rowsOf(values.kinds?.split(",") ?? KINDS.map(({ name }) => name), programs);
  console.log(values.json ? JSON.stringify(rows) : summaryOf(rows));
  Deno.exitCode = rows.every(isRight) ? 0 : 1;
} finally {
  Deno.removeSync(folder, { recursive: true });
}

async function rowsOf(kinds: readonly string[], programs: readonly Program[]): Promise<Row[]> {
  const known = knownRows(values.rows), rows: Row[] = [];
  for (const [index, kind] of kinds.entries()) {
    const earlier = known.get(kind), row = earlier ?? await firstRow(kind, index, programs);
    rows.push(row);
    if (values.rows && !earlier) Deno.writeTextFileSync(values.rows, `${JSON.stringify(row)}\n`, { append: true });
    if (!values.json) console.log(JSON.stringify(row));
  }
  return rows;
}

/** Reduces the first program in which the fault changes something: a random one, another one for each kind, if there is any. */
async function firstRow(kind: string, index: number, programs: readonly Program[]): Promise<Row> {
  const found = KINDS.find(({ name }) => name === kind);
  if (!found) throw new TypeError(`There is no kind "${kind}"`);
  const suitable = programs.filter(({ stream }) => faultsOf(found, stream).length > 0);
  const { random = [], others = [] } = Object.groupBy(
    suitable,
    ({ name }) => name.startsWith("fuzzed") ? "random" : "others",
  );
  const from = index % (random.length || 1), rotated = [...random.slice(from), ...random.slice(0, from)];
  for (const program of [...rotated.slice(0, MOST_RANDOM), ...others]) {
    const row = await reduced(program, kind);
    if (row) return row;
  }
  return { kind };
}

async function reduced({ name, stream }: Program, kind: string): Promise<Row | undefined> {
  const path = `${folder}/whole.jsonl`, out = `${values.out ?? folder}/${kind.replaceAll(/\W+/g, "-")}.jsonl`;
  for (const each of [path, `${path}.data`]) if (existsSync(each)) Deno.removeSync(each, { recursive: true });
  writeRecording(path, stream);
  Deno.writeTextFileSync(`${folder}/kind`, kind);
  const start = performance.now();
  try {
    const result = await reduceRecording(path, [{ driver }, { driver, layers: [LAYER] }], out, {
      steps: EXACT,
      timeout: TIMEOUT,
      validation: values.unvalidated ? false : validationManifest()!,
    });
    const calls = [callsIn(stream.lines), callsIn(readRecording(out).lines)] as const;
    return { ...rowOf(kind, calls, result), program: name, seconds: secondsSince(start) };
  } catch (error) {
    if (error instanceof TypeError && error.message.includes("do not differ")) return undefined;
    return { kind, program: name, script: `${error}`, calls: Infinity };
  }
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 100) / 10;
}
