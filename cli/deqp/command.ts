import { diffDeqp, diffText } from "../../loader/deqp/diff.ts";
import { levelText, obligedLists } from "../../loader/deqp/obligations.ts";
import type { DeqpRun } from "../../loader/deqp/options.ts";
import { runDeqp } from "../../loader/deqp/run_deqp.ts";
import { temporaryFolder } from "../../loader/temporary_folder.ts";
import { type Process, type Request, WrongUse } from "../command.ts";
import { notStarted } from "../files.ts";
import { readResults, refuseQueued } from "../runs/known.ts";
import { liveLineHere } from "../runs/live_line.ts";
import { driverEnvironment } from "./environment.ts";
import { isFine, RunReports, tellResult } from "./reports.ts";
import { runOptions } from "./request.ts";

type Print = (text: string) => void;

/** Runs, compares or lists cases, as the options say, and returns the exit code. */
export function deqp(request: Request, print: Print, process: Process): number | Promise<number> {
  const { command, compare, level, queue } = request.values;
  if (queue !== undefined) return runOverQueue(request, print, process);
  refuseQueued(request);
  if (command !== undefined) return runCases(request, print);
  if (compare !== undefined) return compareFiles(request, print);
  if (level !== undefined) return tellObligations(request, print);
  throw new WrongUse("deqp: give --command to run cases, --compare to compare runs, or --level");
}

async function runCases(request: Request, print: Print): Promise<number> {
  const options = runOptions(request), reports = new RunReports(request, print);
  const run = await running(request, options, request.json ? () => {} : print);
  return reports.write(run, options.command[0]);
}

/** The modules of the queue are loaded for this alone. */
async function runOverQueue(request: Request, print: Print, process: Process): Promise<number> {
  const { deqpOverQueue } = await import("../queue/deqp_over_queue.ts");
  return await deqpOverQueue(request, print, process);
}

async function running(
  { options: { driver } }: Request,
  options: Parameters<typeof runDeqp>[0],
  print: Print,
): Promise<DeqpRun> {
  using folder = temporaryFolder("deqp");
  using live = liveLineHere("deqp", options.caseList.length);
  try {
    return await runDeqp({
      ...options,
      environment: driverEnvironment(driver, folder.path),
      onStart: (name) => live.started(name),
      onResult: (result) => tellResult(result, live, print),
    });
  } catch (error) {
    if (!isStart(error)) throw error;
    throw notStarted("--command", options.command[0], error);
  } finally {
    live.clear();
  }
}

/** Whether the system could not start a program. */
function isStart(error: unknown): boolean {
  return [Deno.errors.NotFound, Deno.errors.PermissionDenied].some((kind) => error instanceof kind);
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
    if (json) print(JSON.stringify({ level, vulkan, opengles }, null, 2));
    else {print([
        `Level ${levelText(level)} obliges to pass`,
        ...[...vulkan, ...opengles].map((each) => `  ${each}`),
      ].join("\n"));}
    return 0;
  } catch (error) {
    throw new WrongUse(`--level: ${(error as Error).message}`);
  }
}
