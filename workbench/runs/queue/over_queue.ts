import {
  type RunExecutor,
  type RunListener,
  type RunOutcome,
  type RunRules,
  type RunTask,
  runTasks,
} from "../deqp/run_tasks.ts";
import { VERSION } from "./card.ts";
import type { Queue } from "./connect.ts";
import { queueExecutor } from "./executor.ts";
import type { Requirements } from "./messages.ts";
import { QueueRun } from "./queue_run.ts";
import type { TaskSigner } from "./signing.ts";
import { TimesThere } from "./stores.ts";
import { distrusted, nobody, slotsFor, workersThere } from "./workers.ts";

/** The options of a new run. */
export interface NewRun {
  /** The kind of task, which chooses the handler. */
  readonly kind: string;
  /** The common part of all tasks. */
  readonly common: unknown;
  /** The requirements on workers, by class. */
  readonly groups: readonly Requirements[];
  /** The number of workers that may be lost over one piece of work, beside the first. */
  readonly retries: number;
  /** Milliseconds without a sign of life after which a task is given to another worker. */
  readonly patience: number;
  /** Signs each task. */
  readonly seal?: TaskSigner;
}

/** The options of executing tasks on the workers of a queue. */
export interface OverQueue<Work, Details> {
  /** The class of a task. */
  readonly groupOf: (task: RunTask<Work>) => number;
  /** The most tasks for a worker at a time. */
  readonly size: number;
  /** Adds this machine's work with tasks and verdicts to the executor of the queue. */
  readonly around?: (executor: RunExecutor<Work, Details>) => RunExecutor<Work, Details>;
  /** Whether the run is left when it is queued. */
  readonly isLeft?: boolean;
  /** Prints to people. */
  readonly warn: (text: string) => void;
}

/** Makes a run if there are workers for all classes. Throws {@linkcode QueueTrouble} if not. */
export async function startRun(queue: Queue, run: NewRun): Promise<QueueRun> {
  const cards = await workersThere(queue), without = run.groups.find((each) => slotsFor(each, cards, VERSION) === 0);
  if (without) throw nobody(without, cards, VERSION);
  const trusting = cards.filter(({ key }) => key === undefined || key === run.seal?.id);
  const locked = run.groups.find((each) => slotsFor(each, trusting, VERSION) === 0);
  if (locked) throw distrusted(locked, run.seal !== undefined);
  return await QueueRun.start(queue, { ...run, version: VERSION });
}

/** Joins a run that goes on. */
export function joinRun(queue: Queue, name: string, seal?: TaskSigner): Promise<QueueRun> {
  return QueueRun.join(queue, name, VERSION, seal);
}

/**
 * Executes tasks on the workers of a queue, and judges as a local run does. Ends the run, unless it is left: the
 * outcome is then `undefined`. After an error that another attempt may mend, the run can be joined.
 */
export async function runOverQueue<Work, Details>(
  run: QueueRun,
  tasks: readonly RunTask<Work, Details>[],
  { groupOf, size, around = (executor) => executor, isLeft = false, warn }: OverQueue<Work, Details>,
  rules: RunRules,
  listener: RunListener<Details> = {},
): Promise<RunOutcome<Details> | undefined> {
  const times = await TimesThere.read(run.queue, run.record), leave = new AbortController();
  const executor: RunExecutor<Work, Details> = queueExecutor({
    run,
    groupOf,
    size,
    secondsOf: (task) => times.secondsOf(groupOf(task), task.key),
    queued(batches) {
      warn(`run ${run.name}: ${tasks.length} tasks in ${batches} batches; join it with --join=${run.name}`);
      if (isLeft) leave.abort();
    },
    warn,
  });
  using _lease = run.keepLease();
  const signal = AbortSignal.any([leave.signal, ...rules.signal ? [rules.signal] : []]);
  const outcome = await runTasks(tasks, around(executor), { ...rules, signal }, listener).catch(async (error) => {
    if (run.record.rounds === 0) await run.end(); // nobody could join it
    throw error;
  });
  if (leave.signal.aborted) return void await run.leave();
  await times.write(outcome.results, groupOf, tasks);
  await run.end();
  return outcome;
}
