/**
 * `deno task faults`: runs examples, programs of the pages and parts of the library, and fails each call that a driver can
 * fail in turn, by every error that the registry allows. The right error must reach the program, and nothing may be left.
 *
 * @module
 */
import { lavapipePath } from "../setup/parts.ts";
import { OptionError, readOptions, runTask } from "../task.ts";
import { allocationLines, allocationsInTurn } from "./failed_allocations.ts";
import { allPrograms } from "./programs.ts";
import { callsOf, type Ending, errorsOf, failed, type Outcome, type Program } from "./run.ts";

const HELP = `deno task faults [--driver=LIBRARY] [--first] [--most=N] [--allocations] [NAME...]

  --driver  a driver's library; without it, Mesa lavapipe
  --first   only the first error of each command, instead of all that the registry allows
  --most    the most calls of a command that are failed; without it, 3: the first ones
  --allocations
            instead of calls, fails each allocation that the driver and the loader ask of VkAllocationCallbacks
  NAME      parts of the names of programs; without any, all

Exit status: 0 when nothing was left and every error was the right one, 1 for a finding, 2 for a wrong option.`;

/** The failed calls of a program. */
export interface ProgramRow {
  readonly name: string;
  /** Calls that may fail. */
  readonly calls: number;
  readonly outcomes: readonly Outcome[];
}

/** Fails the calls of a program in turn. */
export async function failedInTurn(
  program: Program,
  driver: string,
  { isFirst, most }: { readonly isFirst: boolean; readonly most: number },
): Promise<ProgramRow> {
  const places = await callsOf(program, driver), outcomes: Outcome[] = [];
  for (const place of places.filter(({ call }) => call <= most)) {
    const errors = errorsOf(place.command);
    for (const error of isFirst ? errors.slice(0, 1) : errors) {
      outcomes.push(await failed(program, place, error, driver));
    }
  }
  return { name: program.name, calls: places.length, outcomes };
}

/** A line for a program, and its findings. */
export function linesOf({ name, calls, outcomes }: ProgramRow): string[] {
  const count = (ending: Ending) => outcomes.filter((each) => each.ending === ending).length;
  const head = `${name}: ${calls} calls, ${outcomes.length} failures: ${count("the right error")} the right error, ` +
    `${count("went on")} went on, ${count("another error")} another error`;
  const found = outcomes.flatMap(({ command, call, result, findings }) =>
    findings.map((finding) => `  ${command}, call ${call}, ${result}: ${finding}`)
  );
  return [head, ...found];
}

/** The lines about a program, and the number of findings in them. */
interface PrintedRow {
  readonly lines: readonly string[];
  readonly findings: number;
}

function callRow(row: ProgramRow): PrintedRow {
  return { lines: linesOf(row), findings: row.outcomes.reduce((sum, outcome) => sum + outcome.findings.length, 0) };
}

function allocationRow(program: Program, driver: string, folder: string): PrintedRow {
  const row = allocationsInTurn(program, driver, folder);
  return { lines: allocationLines(row), findings: row.findings.length };
}

/** The row that `tried` returns. A program that fails by itself, such as without a layer that it names, is a finding. */
export async function rowOf({ name }: Program, tried: () => Promise<PrintedRow>): Promise<PrintedRow> {
  try {
    return await tried();
  } catch (error) {
    return { lines: [`${name}: not tried, since it fails by itself: ${(error as Error).message}`], findings: 1 };
  }
}

async function main(): Promise<number> {
  const { values, positionals } = readOptions(HELP, {
    options: {
      driver: { type: "string" },
      first: { type: "boolean", default: false },
      most: { type: "string", default: "3" },
      allocations: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const driver = values.driver ?? lavapipePath(), most = Number(values.most);
  if (driver === undefined) throw new OptionError("There is no driver; give --driver, or run deno task setup");
  if (!(most >= 1)) throw new OptionError(`--most is "${values.most}"; give a number from 1`);
  const folder = Deno.makeTempDirSync({ dir: new URL("../../.cache", import.meta.url).pathname });
  let findings = 0;
  Deno.chdir(folder); // the programs write their files there
  try {
    const programs = allPrograms(folder).filter(({ name }) =>
      positionals.length === 0 || positionals.some((part) => name.includes(part))
    );
    for (const program of programs) {
      const row = await rowOf(
        program,
        async () =>
          values.allocations
            ? allocationRow(program, driver, folder)
            : callRow(await failedInTurn(program, driver, { isFirst: values.first, most })),
      );
      console.log(row.lines.join("\n"));
      findings += row.findings;
    }
    console.log(`${programs.length} programs, ${findings} findings`);
    return findings === 0 ? 0 : 1;
  } finally {
    Deno.chdir(new URL("../../", import.meta.url));
    Deno.removeSync(folder, { recursive: true });
  }
}

if (import.meta.main) await runTask(HELP, main);
