import type { Process, Request } from "../command.ts";
import { STOPPED, untilStopped } from "../../workbench/process/stop.ts";
import { refuseQueued } from "./known.ts";
import { liveLineHere } from "../../workbench/runs/report/live_line.ts";
import { localExecutor, runTasks } from "../../workbench/runs/deqp/run_tasks.ts";
import { toFileUrl } from "../../workbench/runs/test/files.ts";
import { TestReports } from "./reports.ts";
import { checkDrivers, planned, testRequest } from "./request.ts";
import { executeGpuTest } from "../../workbench/runs/test/work.ts";

// Loaded when it is needed: cli/commands.ts says why "as string".
type TestOverQueueModule = typeof import("../queue/test_over_queue.ts");

type Print = (text: string) => void;

/** Runs tests on drivers. Returns 0 if all is as expected, 1 if not, 2 for wrong use, 130 after Ctrl-C. */
export async function test(request: Request, print: Print, process: Process): Promise<number> {
  const wanted = testRequest(request), reports = new TestReports(request, print);
  if (request.values.queue !== undefined) {
    const { testOverQueue } = await import("../queue/test_over_queue.ts" as string) as TestOverQueueModule; // the queue's modules are loaded for this alone
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
