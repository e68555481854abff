import { resultLines } from "../../workbench/runs/deqp/results_file.ts";
import type { Request } from "../command.ts";
import { checkReport, writeReport } from "../../workbench/process/files.ts";
import { againLine } from "./again.ts";
import { ReportFolder } from "../../workbench/runs/report/folder.ts";
import { testPage } from "../../workbench/runs/report/test_page.ts";
import type { LiveLine } from "../../workbench/runs/report/live_line.ts";
import type { RunListener, RunOutcome } from "../../workbench/runs/deqp/run_tasks.ts";
import { failureText, githubLines, runText, testJunit } from "../../workbench/runs/test/text.ts";
import type { GpuTestDetails } from "../../workbench/runs/test/work.ts";

type Outcome = RunOutcome<GpuTestDetails>;
type Print = (text: string) => void;

/** The reports about a run of driver tests. */
export class TestReports {
  readonly #request: Request;
  readonly #print: Print;
  readonly #folder: ReportFolder | undefined;
  readonly #time = new Date().toISOString();

  /** Throws {@linkcode WrongUse} for what cannot be written, before anything has run. */
  constructor(request: Request, print: Print) {
    const { junit, out, html } = request.values as Record<string, string | undefined>;
    [this.#request, this.#print] = [request, print];
    if (junit !== undefined) checkReport("--junit", junit);
    if (out !== undefined) checkReport("--out", out);
    this.#folder = html === undefined ? undefined : new ReportFolder(html);
  }

  /** The listener that prints while the run goes on. */
  listener(live: LiveLine | undefined): RunListener<GpuTestDetails> {
    const print = this.#request.json ? () => {} : this.#print;
    return {
      started: (key, where) => live?.started(key, this.#request.values.queue === undefined ? undefined : where),
      settled(result, worker) {
        const text = failureText(result);
        if (text !== undefined) live?.clear();
        if (text !== undefined) print(text);
        live?.settled(result, worker);
      },
    };
  }

  /** Writes all files and prints the result. Returns the exit code. */
  write(outcome: Outcome): number {
    const { values: { junit, out }, json } = this.#request;
    this.#print(json ? JSON.stringify(outcome, null, 2) : runText(outcome));
    if (junit !== undefined) writeReport("--junit", junit as string, testJunit(outcome));
    if (out !== undefined) writeReport("--out", out as string, resultLines(outcome.results));
    this.#writePage(outcome);
    if (annotates()) { for (const line of githubLines(outcome)) this.#print(line); }
    return outcome.isGood ? 0 : 1;
  }

  #writePage(outcome: Outcome): void {
    const folder = this.#folder, time = this.#time;
    if (!folder) return;
    const runs = folder.add(time, outcome.results);
    folder.write(testPage(outcome, { time, runs, again: againLine("test", this.#request) }));
    if (!this.#request.json) this.#print(`wrote ${folder.page}`);
  }
}

function annotates(): boolean {
  try {
    return Boolean(Deno.env.get("GITHUB_ACTIONS"));
  } catch {
    return false;
  }
}
