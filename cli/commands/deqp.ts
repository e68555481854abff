import { type DeqpDiff, diffDeqp, diffText } from "../../loader/deqp/diff.ts";
import { deqpJunit } from "../../loader/deqp/junit.ts";
import { levelText, obligedLists } from "../../loader/deqp/obligations.ts";
import type { DeqpRun } from "../../loader/deqp/options.ts";
import { resultLines } from "../../loader/deqp/results_file.ts";
import { runDeqp } from "../../loader/deqp/run_deqp.ts";
import { type Command, type Request, WrongUse } from "../command.ts";
import { driverEnvironment } from "../deqp/driver_environment.ts";
import { readResults, runOptions } from "../deqp/request.ts";
import { resultText, runText } from "../deqp/text.ts";

/** `deqp`: runs dEQP's cases, compares runs, tells what a level obliges to. */
export const command: Command = {
  operand: "[LIST]",
  summary: "run dEQP's cases of a list in several processes, or compare two runs",
  options: {
    command: {
      type: "string",
      value: "LINE",
      help: 'the program and its arguments, such as "./deqp-vk --deqp-log-images=disable"',
    },
    shards: { type: "string", value: "N", help: "processes at a time; default as many as there are processors" },
    group: { type: "string", value: "N", help: "cases that a process gets at most; default 500" },
    retries: { type: "string", value: "N", help: "how often what fails is run again; default 1" },
    timeout: { type: "string", value: "SECONDS", help: "without news for so long, a process is ended; default 60" },
    baseline: { type: "string", value: "FILE", help: "cases known to fail, as name,status" },
    flakes: { type: "string", value: "FILE", help: "patterns of cases that may fail at times" },
    skips: { type: "string", value: "FILE", help: "patterns of cases that are not run" },
    out: { type: "string", value: "FILE", help: "where the results are written, as name,status,seconds" },
    junit: { type: "string", value: "FILE", help: "where JUnit's XML is written" },
    compare: { type: "string", value: "FILE", help: "the results of another run; without --command LIST is one, too" },
    level: { type: "string", value: "DATE", help: "print the lists of cases that a claimed level obliges to" },
  },
  run(request, print) {
    const { command, compare, level } = request.values;
    if (command !== undefined) return runCases(request, print);
    if (compare !== undefined) return compareFiles(request, print);
    if (level !== undefined) return tellObligations(request, print);
    throw new WrongUse("deqp: give --command to run cases, --compare to compare runs, or --level");
  },
};

type Print = (text: string) => void;

async function runCases(request: Request, print: Print): Promise<number> {
  const { values: { out, junit, compare }, json } = request, options = runOptions(request);
  const before = compare === undefined ? undefined : readResults("--compare", compare as string);
  const run = await running(request, options, json ? () => {} : print);
  if (out !== undefined) write("--out", out as string, resultLines(run.results));
  if (junit !== undefined) write("--junit", junit as string, deqpJunit(run, options.command[0]));
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
    throw new WrongUse("deqp: LIST is missing: name the results that --compare is compared with");
  }
  const diff = diffDeqp(readResults("--compare", compare as string), readResults("deqp", operand));
  print(json ? JSON.stringify(diff, null, 2) : diffText(diff));
  return isFine(diff) ? 0 : 1;
}

/** Nothing fails that did not. */
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

function write(option: string, path: string, text: string): void {
  try {
    Deno.writeTextFileSync(path, text);
  } catch (error) {
    throw new WrongUse(`${option}: "${path}" cannot be written: ${(error as Error).message}`);
  }
}
