import type { DeqpOptions, DeqpRun } from "../../workbench/runs/deqp/options.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { STOPPED } from "../../workbench/process/stop.ts";
import { RunReports, tellResult } from "../deqp/reports.ts";
import { runOptions } from "../deqp/request.ts";
import { knownOf, retriesOf, wholeNumber } from "../test/known.ts";
import { liveLineHere } from "../../workbench/runs/report/live_line.ts";
import type { RunTask } from "../../workbench/runs/deqp/run_tasks.ts";
import type { Queue } from "../../workbench/runs/queue/connect.ts";
import { DEQP, type DeqpWork } from "../../workbench/runs/queue/deqp_handler.ts";
import { patienceOf, requirementsOf } from "./command.ts";
import { withQueue } from "./with_queue.ts";
import { joinRun, runOverQueue, startRun } from "../../workbench/runs/queue/over_queue.ts";
import type { Stopping } from "../../workbench/runs/queue/graceful_shutdown.ts";
import type { QueueRun } from "../../workbench/runs/queue/queue_run.ts";
import type { TaskSigner } from "../../workbench/runs/queue/signing.ts";

const GROUP = 500;

/** The inputs of a run: given by the command line, or by the run that is joined. */
interface Prepared {
  readonly run: QueueRun;
  readonly program: string;
  readonly names: readonly string[];
}

/** Runs a list of cases on the workers of a queue, and reports as a local run does. Returns the exit code. */
export function deqpOverQueue(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const told = request.json ? () => {} : print,
    wanted = wantedOf(request, told),
    reports = new RunReports(request, print);
  return withQueue("deqp", request, process, async ({ queue, seal, ...stopping }) => {
    const outcome = await running(queue, { ...wanted, seal }, told, stopping);
    if (stopping.signal.aborted) return STOPPED;
    if (outcome === "left") return 0;
    return await reports.write(outcome.run, outcome.program);
  });
}

/** A checked command line. */
type Wanted = ReturnType<typeof wantedOf> & { readonly seal: TaskSigner | undefined };

function wantedOf(request: Request, print: (text: string) => void) {
  const { values, operand } = request, text = (name: string) => values[name] as string | undefined, join = text("join");
  if (join === undefined && text("command") === undefined) {
    throw new WrongUse("deqp: give --command with --queue, or --join to go on with a run");
  }
  const options = operand === undefined && join !== undefined ? undefined : runOptions(request, print);
  return {
    join,
    options,
    requirements: requirementsOf(request),
    patience: patienceOf(request),
    retries: retriesOf(request),
    size: wholeNumber("--group-size", text("group-size"), 1) ?? GROUP,
    isLeft: values.leave === true,
    known: knownOf(request),
  };
}

async function running(
  queue: Queue,
  wanted: Wanted,
  print: (text: string) => void,
  { signal, warn }: Stopping,
): Promise<{ readonly run: DeqpRun; readonly program: string } | "left"> {
  const { run, names, program } = await prepared(queue, wanted);
  using live = liveLineHere("deqp", names.length);
  const tasks = names.map((key): RunTask<undefined, never> => ({ key, work: undefined }));
  const how = { groupOf: () => 0, size: wanted.size, isLeft: wanted.isLeft, warn };
  try {
    const rules = { ...wanted.known, retries: wanted.retries, signal };
    const outcome = await runOverQueue(run, tasks, how, rules, {
      started: (key, where) => live.started(key, where),
      settled: (result, worker) => tellResult(result, live, print, worker),
    });
    return outcome ? { run: outcome, program } : "left";
  } finally {
    live.clear();
  }
}

async function prepared(queue: Queue, wanted: Wanted): Promise<Prepared> {
  const { join, options } = wanted;
  if (join === undefined) return await newRun(queue, options!, wanted);
  const run = await joinRun(queue, join, wanted.seal), { command } = run.record.common as DeqpWork;
  const names = options ? namesOf(options) : (await run.plan(0)).keys;
  return { run, names, program: command[0] };
}

async function newRun(
  queue: Queue,
  options: DeqpOptions,
  { requirements, retries, patience, seal }: Wanted,
): Promise<Prepared> {
  const { command, timeout } = options, common: DeqpWork = { command, ...timeout === undefined ? {} : { timeout } };
  const run = await startRun(queue, { kind: DEQP, common, groups: [requirements], retries, patience, seal });
  return { run, names: namesOf(options), program: command[0] };
}

function namesOf({ caseList }: DeqpOptions): string[] {
  return [...new Set(caseList)];
}
