/**
 * Gives a driver a fault of each kind, one after the other, reduces a program on
 * which the driver parts from itself, and tells what is left: calls beyond
 * creation, what became of the script, and seconds.
 *
 * ```sh
 * deno run -A --import-map=tools/offline_import_map.json tests/compare/reduce/planted_main.ts
 * ```
 *
 * Options: `--kinds="a barrier left out,another topology"` which kinds (default:
 * all), `--programs=demo,fuzzed` which programs, `--out=FOLDER` keeps
 * recordings and scripts, `--unvalidated` leaves out the validation layer, and
 * `--json` prints data. The exit code is 1 if too much is left of a fault, or if
 * a script does not do as it should.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { type ReducedRecording, reduceRecording } from "../../../compare/mod.ts";
import { allFormats } from "../../../loader/fuzz/formats.ts";
import { readRecording, writeRecording } from "../../../loader/layers.ts";
import { lavapipePath, validationManifest } from "../../../tools/setup/parts.ts";
import { KINDS } from "../planted/kinds.ts";
import { faultsOf } from "../planted/places.ts";
import { type Program, PROGRAMS } from "../planted/programs.ts";

const LAYER = new URL("always_layer.ts", import.meta.url).pathname;
/** One driver computes the same twice: nothing is tolerated. */
const EXACT = Object.fromEntries(allFormats().map(({ value }) => [value, 0]));
/** Calls that make objects and give them memory. */
const CREATION = /^vk(Create|Allocate|Get|Enumerate|Bind(Buffer|Image)Memory)/;
/** Calls that may be left beyond creation. */
const MOST_LEFT = 25;
/** With how many programs is tried whether a fault changes something. */
const MOST_PROGRAMS = 5;
const TIMEOUT = 60_000;

/** What is left of a fault. */
export interface Row {
  readonly kind: string;
  /** The program; undefined if the fault changes nothing anywhere. */
  readonly program?: string;
  readonly calls?: number;
  readonly script?: string;
  readonly lines?: number;
  readonly tries?: number;
  readonly seconds?: number;
}

const { values } = parseArgs({
  options: {
    kinds: { type: "string" },
    programs: { type: "string", default: Object.keys(PROGRAMS).join() },
    out: { type: "string" },
    unvalidated: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const driver = lavapipePath()!, folder = Deno.makeTempDirSync({ prefix: "planted-reduce-" });
Deno.env.set("ALWAYS", `${folder}/kind`);
try {
  const programs = values.programs.split(",").flatMap((name) => PROGRAMS[name](driver, folder));
  const kinds = values.kinds?.split(",") ?? KINDS.map(({ name }) => name), rows: Row[] = [];
  for (const [index, kind] of kinds.entries()) {
    rows.push(await rowOf(kind, index, programs));
    if (!values.json) console.log(JSON.stringify(rows.at(-1)));
  }
  if (values.json) console.log(JSON.stringify(rows));
  Deno.exitCode = rows.every(isRight) ? 0 : 1;
} finally {
  Deno.removeSync(folder, { recursive: true });
}

function isRight({ program, calls, script }: Row): boolean {
  return program === undefined || calls! <= MOST_LEFT && script === "right";
}

/** The first of some programs, another one for each kind, in which the fault changes something. */
async function rowOf(kind: string, index: number, programs: readonly Program[]): Promise<Row> {
  const found = KINDS.find(({ name }) => name === kind);
  if (!found) throw new TypeError(`There is no kind "${kind}"`);
  const suitable = programs.filter(({ stream }) => faultsOf(found, stream).length > 0);
  for (let tries = 0; tries < Math.min(MOST_PROGRAMS, suitable.length); tries++) {
    const row = await reduced(suitable[(index + tries) % suitable.length], kind, index);
    if (row) return row;
  }
  return { kind };
}

async function reduced(program: Program, kind: string, index: number): Promise<Row | undefined> {
  const path = `${folder}/${index}.jsonl`, out = `${values.out ?? folder}/${index}.small.jsonl`;
  removeRecording(path);
  writeRecording(path, program.stream);
  Deno.writeTextFileSync(`${folder}/kind`, kind);
  const start = performance.now();
  try {
    const result = await reduceRecording(path, [{ driver }, { driver, layers: [LAYER] }], out, {
      steps: EXACT,
      timeout: TIMEOUT,
      validation: values.unvalidated ? false : validationManifest()!,
    });
    return { kind, program: program.name, ...told(result, out), seconds: secondsSince(start) };
  } catch (error) {
    if (error instanceof TypeError && error.message.includes("do not differ")) return undefined;
    return { kind, program: program.name, script: `${error}`, calls: Infinity };
  }
}

function removeRecording(path: string): void {
  for (const each of [path, `${path}.data`]) if (existsSync(each)) Deno.removeSync(each, { recursive: true });
}

function told({ lines: [, lines], tries, script }: ReducedRecording, out: string): Partial<Row> {
  const calls = readRecording(out).lines.filter((line) => "command" in line && !CREATION.test(line.command)).length;
  return { calls, lines, tries, script: "path" in script ? "right" : script.missing };
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 100) / 10;
}
