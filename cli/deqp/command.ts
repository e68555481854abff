import { type DeqpDiff, diffDeqp, diffText } from "../../loader/deqp/diff.ts";
import { deqpJunit } from "../../loader/deqp/junit.ts";
import { levelText, obligedLists } from "../../loader/deqp/obligations.ts";
import type { DeqpResult, DeqpRun } from "../../loader/deqp/options.ts";
import { resultLines } from "../../loader/deqp/results_file.ts";
import { runDeqp } from "../../loader/deqp/run_deqp.ts";
import { type Request, WrongUse } from "../command.ts";
import { writeReport } from "../files.ts";
import { againLine } from "../report/again.ts";
import { ReportFolder } from "../report/folder.ts";
import { readResults } from "../runs/known.ts";
import { liveLineHere } from "../runs/live_line.ts";
import { runOptions } from "./request.ts";
import { resolve } from "node:path";
import type { VulkanOptions } from "../../loader/mod.ts";

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
  const { values: { out, junit, compare, html }, json } = request, options = runOptions(request);
  const before = compare === undefined ? undefined : readResults("--compare", compare as string);
  const folder = html === undefined ? undefined : new ReportFolder(html as string), time = new Date().toISOString();
  const run = await running(request, options, json ? () => {} : print);
  if (out !== undefined) writeReport("--out", out as string, resultLines(run.results));
  if (junit !== undefined) writeReport("--junit", junit as string, deqpJunit(run, options.command[0]));
  const diff = before && diffDeqp(before, run.results);
  if (json) print(JSON.stringify({ ...run, ...diff ? { diff } : {} }, null, 2));
  else print([...diff ? [diffText(diff), ""] : [], runText(run)].join("\n"));
  if (folder) {
    const { deqpPage } = await import("../report/deqp_page.ts");
    folder.write(deqpPage(run, { time, runs: folder.add(time, run.results), again: againLine("deqp", request) }));
  }
  return run.isGood && isFine(diff) ? 0 : 1;
}

async function running(
  { options: { driver } }: Request,
  options: Parameters<typeof runDeqp>[0],
  print: Print,
): Promise<DeqpRun> {
  const folder = Deno.makeTempDirSync({ prefix: "pumice-deqp-" }), live = liveLineHere(options.caseList.length);
  try {
    return await runDeqp({
      ...options,
      environment: driverEnvironment(driver, folder),
      onStart: (name) => live?.started(name),
      onResult(result) {
        const line = resultText(result);
        if (line !== undefined) live?.clear();
        if (line !== undefined) print(line);
        live?.settled(result);
      },
    });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new WrongUse(`--command: "${options.command[0]}" cannot be started: ${error.message}`);
  } finally {
    live?.clear();
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

/** Returns a line about an unexpected result; `undefined` for an expected one. */
function resultText({ name, status, outcome, message }: DeqpResult): string | undefined {
  if (["pass", "skip", "expected"].includes(outcome)) return undefined;
  const why = message ? `: ${message.replace(/\s*\n\s*/g, " ")}` : "";
  return `${outcome.padEnd(7)} ${status} ${name}${why}`;
}

/** How many there are of each outcome, and whether that is good. */
function runText({ counts, results, isGood }: DeqpRun): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0).map(([outcome, count]) =>
    `${count} ${outcome}`
  );
  return `${results.length} cases: ${parts.join(", ")}\n${isGood ? "Good" : "Not good"}`;
}

/**
 * Returns variables that make the system's Vulkan loader, which dEQP uses, use a driver: the driver's manifest, or a
 * manifest that is written for the driver's library.
 */
export function driverEnvironment(driver: VulkanOptions["driver"], folder: string): Record<string, string> {
  const drivers = [driver ?? "auto"].flat(),
    paths = drivers.filter((each) => typeof each === "string" && each !== "auto");
  if (paths.length === 0) return {};
  const manifests = paths.map((path, index) => manifestOf(path as string, `${folder}/driver_${index}.json`)).join(":");
  return { VK_DRIVER_FILES: manifests, VK_ICD_FILENAMES: manifests };
}

function manifestOf(path: string, written: string): string {
  if (path.endsWith(".json")) return resolve(path);
  const ICD = { library_path: path.includes("/") ? resolve(path) : path, api_version: "1.4.0" };
  Deno.writeTextFileSync(written, JSON.stringify({ file_format_version: "1.0.1", ICD }));
  return written;
}
