import { type Process, type Request, WrongUse } from "../command.ts";
import { STOPPED, untilStopped } from "../stop.ts";
import { refuseQueued } from "../runs/known.ts";
import { liveLineHere } from "../runs/live_line.ts";
import { localExecutor } from "../runs/local.ts";
import { runTasks } from "../../loader/deqp/run_tasks.ts";
import { toFileUrl } from "./files.ts";
import { type Plan, plan, type Planned } from "./plan.ts";
import { TestReports } from "./reports.ts";
import { checkDrivers, inShard, type TestRequest, testRequest } from "./request.ts";
import { executeGpuTest } from "./work.ts";

type Print = (text: string) => void;

/** Runs tests on drivers. Returns 0 if all is as expected, 1 if not, 2 for wrong use, 130 after Ctrl-C. */
export async function test(request: Request, print: Print, process: Process): Promise<number> {
  const wanted = testRequest(request), reports = new TestReports(request, print);
  if (request.values.queue !== undefined) {
    const { testOverQueue } = await import("../queue/test_over_queue.ts"); // the queue's modules are loaded for this alone
    return await testOverQueue(request, wanted, reports, process);
  }
  refuseQueued(request);
  using stop = untilStopped();
  if (wanted.drivers) checkDrivers(wanted.drivers, toFileUrl(wanted.files[0]));
  const tasks = await planned(wanted, { ...wanted, signal: stop.signal }, process);
  using live = liveLineHere("test", tasks.length);
  const executor = localExecutor(wanted.jobs, executeGpuTest);
  const outcome = await runTasks(tasks, executor, { ...wanted, signal: stop.signal }, reports.listener(live));
  live.clear();
  const code = reports.write(outcome);
  return stop.signal.aborted ? STOPPED : code;
}

/** The tasks of this part of the run. Throws {@linkcode WrongUse} if there are none. */
export async function planned(wanted: TestRequest, how: Plan, { warn }: Process): Promise<Planned["tasks"]> {
  const { tasks, notes } = await plan(how), chosen = tasks.filter(({ key }) => wanted.filter(key));
  if (chosen.length === 0 && !how.signal.aborted) {
    const why = tasks.length > 0 ? "--filter leaves no test" : "found no test to run";
    throw new WrongUse(["test: " + why, ...notes].join("\n  "));
  }
  for (const each of notes) warn(each);
  return inShard(chosen, wanted.shard);
}
