import { type DeqpDiff, diffDeqp, diffText } from "../../workbench/runs/deqp/diff.ts";
import { outcomeText, verdictText } from "../../workbench/runs/deqp/judge.ts";
import { deqpJunit, resultLines } from "../../workbench/runs/deqp/results_file.ts";
import type { DeqpCase } from "../../workbench/runs/deqp/status.ts";
import type { DeqpResult, DeqpRun } from "../../workbench/runs/deqp/options.ts";
import type { Request } from "../command.ts";
import { writeReport } from "../../workbench/process/files.ts";
import { againLine } from "../test/again.ts";
import { ReportFolder } from "../../workbench/runs/report/folder.ts";
import { readResults } from "../test/known.ts";
import type { LiveLine } from "../../workbench/runs/report/live_line.ts";

// Loaded when it is needed: cli/commands.ts says why "as string".
type DeqpPageModule = typeof import("../../workbench/runs/report/deqp_page.ts");

/** The reports of a run that the options ask for, wherever the run was. */
export class RunReports {
  readonly #request: Request;
  readonly #print: (text: string) => void;
  readonly #before: readonly DeqpCase[] | undefined;
  readonly #folder: ReportFolder | undefined;
  readonly #time = new Date().toISOString();

  /** Reads what is to be compared. Throws {@linkcode WrongUse} if that cannot be read. */
  constructor(request: Request, print: (text: string) => void) {
    const { compare, html } = request.values;
    [this.#request, this.#print] = [request, print];
    this.#before = compare === undefined ? undefined : readResults("--compare", compare as string);
    this.#folder = html === undefined ? undefined : new ReportFolder(html as string);
  }

  /** Writes all files and prints the result. Returns the exit code. `program` names the run in JUnit's XML. */
  async write(run: DeqpRun, program: string): Promise<number> {
    const { values: { out, junit } } = this.#request;
    if (out !== undefined) writeReport("--out", out as string, resultLines(run.results));
    if (junit !== undefined) writeReport("--junit", junit as string, deqpJunit(run, program));
    const diff = this.#before && diffDeqp(this.#before, run.results);
    this.#tell(run, diff);
    await this.#writePage(run);
    return run.isGood && isFine(diff) ? 0 : 1;
  }

  #tell(run: DeqpRun, diff: DeqpDiff | undefined): void {
    if (this.#request.json) this.#print(JSON.stringify({ ...run, ...diff ? { diff } : {} }, null, 2));
    else this.#print([...diff ? [diffText(diff), ""] : [], runText(run)].join("\n"));
  }

  async #writePage(run: DeqpRun): Promise<void> {
    const folder = this.#folder, time = this.#time, again = againLine("deqp", this.#request);
    if (!folder) return;
    const { deqpPage } = await import("../../workbench/runs/report/deqp_page.ts" as string) as DeqpPageModule;
    folder.write(deqpPage(run, { time, runs: folder.add(time, run.results), again }));
  }
}

/** Prints a result that nobody expected, and brings the live line up to date. */
export function tellResult(
  result: DeqpResult,
  live: LiveLine | undefined,
  print: (text: string) => void,
  worker?: string,
): void {
  const line = resultText(result);
  if (line !== undefined) live?.clear();
  if (line !== undefined) print(line);
  live?.settled(result, worker);
}

/** Whether no case fails that passed before. */
export function isFine(diff: DeqpDiff | undefined): boolean {
  return diff === undefined || diff.broken.length === 0;
}

/** Returns a line about an unexpected result; `undefined` for an expected one. */
function resultText({ name, status, outcome, message }: DeqpResult): string | undefined {
  if (["passed", "skipped", "expected"].includes(outcome)) return undefined;
  const why = message ? `: ${message.replace(/\s*\n\s*/g, " ")}` : "";
  return `${outcomeText({ outcome, status })}: ${name}${why}`;
}

/** Returns the counts of the outcomes, and whether the run is good. */
function runText({ counts, results, isGood }: DeqpRun): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0).map(([outcome, count]) =>
    `${count} ${outcome}`
  );
  return `${results.length} cases: ${parts.join(", ")}\n${verdictText(isGood)}`;
}
