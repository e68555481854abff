import { type DeqpDiff, diffDeqp, diffText } from "../../loader/deqp/diff.ts";
import { deqpJunit } from "../../loader/deqp/junit.ts";
import { levelText, obligedLists } from "../../loader/deqp/obligations.ts";
import type { DeqpRun } from "../../loader/deqp/options.ts";
import { resultLines } from "../../loader/deqp/results_file.ts";
import { runDeqp } from "../../loader/deqp/run_deqp.ts";
import { type Request, WrongUse } from "../command.ts";
import { writeReport } from "../write_report.ts";
import { driverEnvironment } from "./driver_environment.ts";
import { readResults, runOptions } from "./request.ts";
import { resultText, runText } from "./text.ts";

type Print = (text: string) => void;

/** Runs, compares or lists cases, as the options say, and returns the exit code. */
export function deqp(request: Request, print: Print): number | Promise<number> {
  const { command, compare, level } = request.values;
  if (command !== undefined) return runCases(request, print);
  if (compare !== undefined) return compareFiles(request, print);
  if (level !== undefined) return tellObligations(request, print);
  throw new WrongUse("deqp: give --command to run cases, --compare to compare runs, or --level");
}

async function runCases(request: Request, print: Print): Promise<number> {
  const { values: { out, junit, compare }, json } = request, options = runOptions(request);
  const before = compare === undefined ? undefined : readResults("--compare", compare as string);
  const run = await running(request, options, json ? () => {} : print);
  if (out !== undefined) writeReport("--out", out as string, resultLines(run.results));
  if (junit !== undefined) writeReport("--junit", junit as string, deqpJunit(run, options.command[0]));
  const diff = before && diffDeqp(before, run.results);
  if (json) print(JSON.stringify({ ...run, ...diff ? { diff } : {} }, null, 2));
  else print([...diff ? [diffText(diff), ""] : [], runText(run)].join("\n"));
  return run.isGood && isFine(diff) ? 0 : 1;
}

async function running(
  { options: { driver } }: Request,
  options: Parameters<typeof runDeqp>[0],
  print: Print,
): Promise<DeqpRun> {
  const folder = Deno.makeTempDirSync({ prefix: "pumice-deqp-" });
  try {
    return await runDeqp({
      ...options,
      environment: driverEnvironment(driver, folder),
      onResult(result) {
        const line = resultText(result);
        if (line !== undefined) print(line);
      },
    });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new WrongUse(`--command: "${options.command[0]}" cannot be started: ${error.message}`);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function compareFiles({ operand, values: { compare }, json }: Request, print: Print): number {
  if (operand === undefined) {
    throw new WrongUse("deqp: LIST is missing: name the file of results to compare with --compare");
  }
  const diff = diffDeqp(readResults("--compare", compare as string), readResults("deqp", operand));
  print(json ? JSON.stringify(diff, null, 2) : diffText(diff));
  return isFine(diff) ? 0 : 1;
}

/** Whether no case fails that passed before. */
function isFine(diff: DeqpDiff | undefined): boolean {
  return diff === undefined || diff.broken.length === 0;
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
