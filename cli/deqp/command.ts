import { temporaryFolder } from "../../loader/temporary_folder.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { notStarted } from "../../workbench/process/files.ts";
import { diffDeqp, diffText } from "../../workbench/runs/deqp/diff.ts";
import { driverEnvironment } from "../../workbench/runs/deqp/process.ts";
import { levelText, obligedLists } from "../../workbench/runs/deqp/obligations.ts";
import type { DeqpParts, DeqpRun } from "../../workbench/runs/deqp/options.ts";
import type { CaseMatcher } from "../../workbench/runs/deqp/case_list.ts";
import { runParts } from "../../workbench/runs/deqp/run_deqp.ts";
import { liveLineHere } from "../../workbench/runs/report/live_line.ts";
import { driverPath } from "../arguments/parse.ts";
import type { Process, Request } from "../command.ts";
import { readResults, refuseQueued } from "../test/known.ts";
import { isFine, RunReports, tellResult } from "./reports.ts";
import { isSuite, runOptions, sharedOptions, withinLevel } from "./request.ts";
import type { SuitePart } from "./suite.ts";

// Loaded when they are needed: cli/commands.ts says why "as string".
type DeqpOverQueueModule = typeof import("../queue/deqp_over_queue.ts");
type SuiteModule = typeof import("./suite.ts");

type Print = (text: string) => void;

/** Runs, compares or lists cases, as the options say, and returns the exit code. */
export function deqp(request: Request, print: Print, process: Process): number | Promise<number> {
  const { command, compare, level, queue } = request.values;
  if (queue !== undefined) return runOverQueue(request, print, process);
  refuseQueued(request);
  if (command !== undefined || isSuite(request.operand)) return runHere(request, print);
  if (compare !== undefined) return compareFiles(request, print);
  if (level !== undefined) return tellObligations(request, print);
  throw new WrongUse("deqp: give --command or a suite to run cases, --compare to compare runs, or --level");
}

/** The modules of the queue are loaded for this alone. */
async function runOverQueue(request: Request, print: Print, process: Process): Promise<number> {
  const { deqpOverQueue } = await import("../queue/deqp_over_queue.ts" as string) as DeqpOverQueueModule;
  return await deqpOverQueue(request, print, process);
}

function compareFiles({ operand, values: { compare }, json }: Request, print: Print): number {
  if (operand === undefined) {
    throw new WrongUse("deqp: LIST is missing: name the file of results to compare with --compare");
  }
  const diff = diffDeqp(readResults("--compare", compare as string), readResults("deqp", operand));
  print(json ? JSON.stringify(diff, null, 2) : diffText(diff));
  return isFine(diff) ? 0 : 1;
}

function tellObligations({ values, json }: Request, print: Print): number {
  const level = values.level as string;
  try {
    const vulkan = obligedLists("vulkan", level), opengles = obligedLists("opengles", level);
    const lists = [...vulkan, ...opengles].map((each) => `  ${each}`);
    const text = [`Level ${levelText(level)} obliges to pass`, ...lists].join("\n");
    print(json ? JSON.stringify({ level, vulkan, opengles }, null, 2) : text);
    return 0;
  } catch (error) {
    throw new WrongUse(`--level: ${(error as Error).message}`);
  }
}

/** Runs a list or a suite in processes of this machine. Returns the exit code. */
async function runHere(request: Request, print: Print): Promise<number> {
  const { operand } = request, { shards, retries } = sharedOptions(request);
  const say = request.json ? () => {} : print;
  const parts = isSuite(operand) ? await suiteParts(request, operand, say) : [runOptions(request, say)];
  const reports = new RunReports(request, print);
  const run = await running(request, { parts, shards, retries }, say);
  return reports.write(run, isSuite(operand) ? operand : parts[0].command[0]);
}

/** The parts of a suite. Options of the command line hold for all parts; numbers, for the parts that state none. */
async function suiteParts(request: Request, path: string, say: Print): Promise<Part[]> {
  if (request.values.command !== undefined) {
    throw new WrongUse("deqp: --command is for a list of cases; a suite names its programs");
  }
  const { readSuite } = await import("./suite.ts" as string) as SuiteModule,
    { baseline, flakes, skips, ...shared } = sharedOptions(request);
  return readSuite(path).map(({ lists, ...part }): Part => {
    const all: Part = {
      ...part,
      timeout: part.timeout ?? shared.timeout,
      groupSize: part.groupSize ?? shared.groupSize,
      baseline: baseline ? new Map([...baseline, ...part.baseline ?? []]) : part.baseline,
      flakes: either(part.flakes, flakes),
      skips: either(part.skips, skips),
    };
    return withinLevel(all, lists, request.values.level as string | undefined, say);
  });
}

/** A part of a run. */
type Part = Omit<SuitePart, "lists">;

function either(one: CaseMatcher | undefined, other: CaseMatcher | undefined): CaseMatcher | undefined {
  return one && other ? (name) => one(name) || other(name) : one ?? other;
}

async function running(
  { options: { driver } }: Request,
  { parts, ...shared }: Omit<DeqpParts, "parts"> & { readonly parts: readonly Part[] },
  print: Print,
): Promise<DeqpRun> {
  using folder = temporaryFolder("deqp");
  using live = liveLineHere("deqp", parts.reduce((sum, { caseList }) => sum + new Set(caseList).size, 0));
  const placed = parts.map((part, at) => {
    const own = `${folder.path}/${at}`;
    Deno.mkdirSync(own);
    const wanted = part.driver === undefined ? driver : driverPath(part.driver);
    return { ...part, environment: { ...driverEnvironment(wanted, own), ...part.environment } };
  });
  try {
    return await runParts({
      ...shared,
      parts: placed,
      onStart: (name) => live.started(name),
      onResult: (result) => tellResult(result, live, print),
    });
  } catch (error) {
    if (error instanceof TypeError) throw new WrongUse(`deqp: ${error.message}`);
    if (!isStart(error)) throw error;
    const programs = [...new Set(parts.map(({ command }) => command[0]))].join('" or "');
    throw notStarted("--command", programs, error);
  }
}

/** Whether the system could not start a program. */
function isStart(error: unknown): boolean {
  return [Deno.errors.NotFound, Deno.errors.PermissionDenied].some((kind) => error instanceof kind);
}
