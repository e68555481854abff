import { updatesGoldens } from "../../workbench/runs/testing/places.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { STOPPED } from "../../workbench/process/stop.ts";
import { liveLineHere } from "../../workbench/runs/report/live_line.ts";
import type { RunTask } from "../../workbench/runs/deqp/run_tasks.ts";
import type { TestReports } from "../test/reports.ts";
import { planned, type TestRequest } from "../test/request.ts";
import type { GpuTestWork } from "../../workbench/runs/test/work.ts";
import type { Queue } from "../../workbench/runs/queue/connect.ts";
import { patienceOf } from "./command.ts";
import { wantedDrivers } from "./drivers.ts";
import { withQueue } from "./with_queue.ts";
import { joinRun, runOverQueue, startRun } from "../../workbench/runs/queue/over_queue.ts";
import type { Stopping } from "../../workbench/runs/queue/graceful_shutdown.ts";
import type { QueueRun } from "../../workbench/runs/queue/queue_run.ts";
import { RunStore } from "../../workbench/runs/queue/stores.ts";
import type { TaskSigner } from "../../workbench/runs/queue/signing.ts";
import { bundled, type BundledTasks, comingHome, storeBundles } from "../../workbench/runs/queue/test_executor.ts";
import { TEST } from "../../workbench/runs/queue/test_handler.ts";
import type { Requirements } from "../../workbench/runs/queue/messages.ts";

/** The key of a run. */
interface Signing {
  readonly seal: TaskSigner | undefined;
}

/** Runs tests on the workers of a queue, and reports as a local run does. Returns the exit code. */
export function testOverQueue(
  request: Request,
  wanted: TestRequest,
  reports: TestReports,
  process: Process,
): Promise<number> {
  refuseLocal(request, wanted);
  return withQueue("test", request, process, ({ queue, seal, ...stopping }) => {
    return running(queue, request, { ...wanted, seal }, reports, { ...process, ...stopping });
  });
}

/** Refuses options about this machine's drivers, which would have no effect. */
function refuseLocal({ values }: Request, { drivers }: TestRequest): void {
  if (drivers) throw new WrongUse("--driver: the workers of a queue have the drivers; give --for=driver=NAME");
  if (values.jobs !== undefined) throw new WrongUse("--jobs: a queue's workers have --slots; give that to them");
  if (!updatesGoldens()) return;
  throw new WrongUse(
    "PUMICE_UPDATE_GOLDENS: workers write no golden files here; run the tests without --queue for that",
  );
}

async function running(
  queue: Queue,
  request: Request,
  wanted: TestRequest & Signing,
  reports: TestReports,
  { signal, ...process }: Process & Stopping,
): Promise<number> {
  const { join, leave } = request.values as { join?: string; leave?: boolean }, { warn } = process;
  const { names, others } = await wantedDrivers(queue, request);
  const planning = { ...wanted, drivers: names.map((name) => ({ name, path: "" })), isElsewhere: true, signal };
  const { tasks, bundles } = await bundled(await planned(wanted, planning, process), wanted.skips, signal);
  if (signal.aborted) return STOPPED;
  const run = join === undefined
    ? await newRun(queue, request, { ...wanted, others, tasks, bundles })
    : await joinRun(queue, join, wanted.seal);
  using live = liveLineHere("test", tasks.length);
  try {
    const { groups } = run.record;
    const groupOf = ({ work }: RunTask<GpuTestWork>) => groups.findIndex(({ driver }) => driver === driverOf(work));
    const around = comingHome(new RunStore(queue, run.name)), how = { groupOf, size: 1, around, isLeft: leave, warn };
    const outcome = await runOverQueue(run, tasks, how, { ...wanted, signal }, reports.listener(live));
    live.clear();
    if (!outcome) return 0;
    const code = reports.write(outcome);
    return signal.aborted ? STOPPED : code;
  } finally {
    live.clear();
  }
}

/** The name that workers know a driver by, whatever device it stands for. */
function driverOf({ driver, place }: GpuTestWork): string {
  return driver?.own ?? place.driver;
}

async function newRun(
  queue: Queue,
  request: Request,
  { retries, tasks, bundles, others, seal }: TestRequest & Signing & BundledTasks & { readonly others: Requirements },
): Promise<QueueRun> {
  const patience = patienceOf(request);
  const names = new Set(tasks.map(({ work }) => driverOf(work)).filter(Boolean));
  const groups = [...names].map((driver) => ({ ...others, driver }));
  const run = await startRun(queue, { kind: TEST, common: null, groups, retries, patience, seal });
  try {
    await storeBundles(bundles, new RunStore(queue, run.name));
    return run;
  } catch (error) {
    await run.end();
    throw error;
  }
}
