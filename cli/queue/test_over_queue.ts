import { updatesGoldens } from "../../workbench/runs/testing/places.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { STOPPED, untilStopped } from "../../workbench/process/stop.ts";
import { liveLineHere } from "../../workbench/runs/report/live_line.ts";
import type { RunTask } from "../../workbench/runs/deqp/run_tasks.ts";
import type { TestReports } from "../test/reports.ts";
import { planned, type TestRequest } from "../test/request.ts";
import type { GpuTestWork } from "../../workbench/runs/test/work.ts";
import { Queue } from "../../workbench/runs/queue/connect.ts";
import { addressOf, patienceOf, requirementsOf, signerOf, tellingTrouble } from "./command.ts";
import { joinRun, runOverQueue, startRun } from "../../workbench/runs/queue/over_queue.ts";
import { orShutdown, type Stopping } from "../../workbench/runs/queue/graceful_shutdown.ts";
import type { QueueRun } from "../../workbench/runs/queue/queue_run.ts";
import { RunStore } from "../../workbench/runs/queue/stores.ts";
import { keepMemorySmall } from "../../workbench/runs/queue/small_memory.ts";
import type { TaskSigner } from "../../workbench/runs/queue/signing.ts";
import { bundled, type BundledTasks, comingHome, storeBundles } from "../../workbench/runs/queue/test_executor.ts";
import { TEST } from "../../workbench/runs/queue/test_handler.ts";
import type { NamedDriver } from "../../workbench/runs/testing/options.ts";
import { VERSION } from "../../workbench/runs/queue/card.ts";
import type { Requirements } from "../../workbench/runs/queue/messages.ts";
import { driverFor, isOf, nobody, workersThere } from "../../workbench/runs/queue/workers.ts";

/** The drivers that the tests of a run ask of workers. */
interface WantedDrivers {
  /** The drivers' names; their paths are known to the workers alone. */
  readonly drivers: readonly NamedDriver[];
  /** The requirements on a worker besides the driver. */
  readonly others: Requirements;
}

/** The drivers of `--for`, otherwise all drivers of the workers with the other facts of `--for`, by name. */
async function wantedDrivers(queue: Queue, request: Request): Promise<WantedDrivers> {
  const words = ((request.values.for ?? []) as string[]).flatMap((each) => each.split(",")).map((each) => each.trim());
  const isDriver = (word: string) => word.startsWith("driver=");
  const others = requirementsOf({ ...request, values: { for: words.filter((word) => !isDriver(word)) } });
  const given = [...new Set(words.filter(isDriver).map((word) => word.slice("driver=".length)))];
  if (given.includes("")) throw new WrongUse('--for: "driver=" names no driver; give such as driver=lvp');
  const names = given.length > 0 ? given : await driversThere(queue, others);
  return { drivers: names.map((name) => ({ name, path: "" })), others };
}

async function driversThere(queue: Queue, others: Requirements): Promise<string[]> {
  const cards = await workersThere(queue);
  const found = cards.filter((card) => isOf(card, VERSION)).flatMap((card) =>
    card.drivers.filter((driver) => driverFor(others, card, [driver])).map(({ name }) => name)
  );
  if (found.length === 0) throw nobody(others, cards, VERSION);
  return [...new Set(found)].sort();
}

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
  return tellingTrouble("test", process, async () => {
    const address = addressOf(request), seal = await signerOf(request);
    refuseLocal(request, wanted);
    const queue = await Queue.open(address);
    using _small = keepMemorySmall();
    try {
      using stop = untilStopped();
      const stopping = { ...process, signal: stop.signal }, own = { ...wanted, seal };
      return await orShutdown(queue, stopping, () => running(queue, request, own, reports, stopping)) ?? STOPPED;
    } finally {
      await queue.close();
    }
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
  const drivers = await wantedDrivers(queue, request);
  const planning = { ...wanted, drivers: drivers.drivers, isElsewhere: true, signal };
  const { tasks, bundles } = await bundled(await planned(wanted, planning, process), wanted.skips, signal);
  if (signal.aborted) return STOPPED;
  const run = join === undefined
    ? await newRun(queue, request, { ...wanted, ...drivers, tasks, bundles })
    : await joinRun(queue, join, wanted.seal);
  using live = liveLineHere("test", tasks.length);
  try {
    const { groups } = run.record;
    const groupOf = ({ work }: RunTask<GpuTestWork>) => groups.findIndex(({ driver }) => driver === work.place.driver);
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

async function newRun(
  queue: Queue,
  request: Request,
  { retries, tasks, bundles, others, seal }: TestRequest & Signing & BundledTasks & Pick<WantedDrivers, "others">,
): Promise<QueueRun> {
  const patience = patienceOf(request);
  const names = new Set(tasks.map(({ work }) => work.place.driver).filter(Boolean));
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
