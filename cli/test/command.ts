import { resultLines } from "../../loader/deqp/results_file.ts";
import { type Process, type Request, WrongUse } from "../command.ts";
import { STOPPED, untilStopped } from "../compare/stop.ts";
import { checkReport, writeReport } from "../files.ts";
import { againLine } from "../report/again.ts";
import { ReportFolder } from "../report/folder.ts";
import { testPage } from "../report/test_page.ts";
import { liveLineHere } from "../runs/live_line.ts";
import { localExecutor } from "../runs/local.ts";
import { type RunOutcome, type RunRules, runTasks } from "../runs/run.ts";
import { toFileUrl } from "./files.ts";
import { plan, type Planned } from "./plan.ts";
import { checkDrivers, inShard, type TestRequest, testRequest } from "./request.ts";
import { failureText, githubLines, runText, testJunit } from "./text.ts";
import { executeGpuTest, type GpuTestDetails } from "./work.ts";

type Outcome = RunOutcome<GpuTestDetails>;
type Print = (text: string) => void;

/** Runs tests on drivers. Returns 0 if all is as expected, 1 if not, 2 for wrong use, 130 after Ctrl-C. */
export async function test(request: Request, print: Print, process: Process): Promise<number> {
  const wanted = testRequest(request), { junit, out } = request.values as { junit?: string; out?: string };
  if (junit !== undefined) checkReport("--junit", junit);
  if (out !== undefined) checkReport("--out", out);
  const folder = request.values.html === undefined ? undefined : new ReportFolder(request.values.html as string);
  const time = new Date().toISOString();
  using stop = untilStopped();
  const { tasks, notes } = await planned(wanted, stop.signal);
  for (const each of notes) process.warn(each);
  const outcome = await running(tasks, { ...wanted, signal: stop.signal }, request.json ? () => {} : print);
  print(request.json ? JSON.stringify(outcome, null, 2) : runText(outcome));
  if (junit !== undefined) writeReport("--junit", junit, testJunit(outcome));
  if (out !== undefined) writeReport("--out", out, resultLines(outcome.results));
  if (folder) {
    const runs = folder.add(time, outcome.results);
    folder.write(testPage(outcome, { time, runs, again: againLine("test", request) }));
    if (!request.json) print(`wrote ${folder.page}`);
  }
  if (annotates()) { for (const line of githubLines(outcome)) print(line); }
  if (stop.signal.aborted) return STOPPED;
  return outcome.isGood ? 0 : 1;
}

/** The tasks of this part of the run. Throws {@linkcode WrongUse} if there are none. */
async function planned(wanted: TestRequest, signal: AbortSignal): Promise<Planned> {
  if (wanted.drivers) checkDrivers(wanted.drivers, toFileUrl(wanted.files[0]));
  const { tasks, notes } = await plan({ ...wanted, signal });
  const chosen = tasks.filter(({ key }) => wanted.filter(key));
  if (chosen.length > 0 || signal.aborted) return { tasks: inShard(chosen, wanted.shard), notes };
  const why = tasks.length > 0 ? "--filter leaves no test" : "found no test to run";
  throw new WrongUse(["test: " + why, ...notes].join("\n  "));
}

async function running(tasks: Planned["tasks"], wanted: TestRequest & RunRules, print: Print): Promise<Outcome> {
  const live = liveLineHere(tasks.length), executor = localExecutor(wanted.jobs, executeGpuTest);
  const outcome = await runTasks(tasks, executor, wanted, {
    started: (key) => live?.started(key),
    settled(result) {
      const text = failureText(result);
      if (text !== undefined) live?.clear();
      if (text !== undefined) print(text);
      live?.settled(result);
    },
  });
  live?.clear();
  return outcome;
}

function annotates(): boolean {
  try {
    return Boolean(Deno.env.get("GITHUB_ACTIONS"));
  } catch {
    return false;
  }
}
