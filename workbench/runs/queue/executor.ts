import type { ExecutionEvents, RunExecutor, RunTask } from "../deqp/run_tasks.ts";
import type { Queue } from "./connect.ts";
import { decode, type ProgressMessage, readResult, type ResultMessage } from "./messages.ts";
import { placeOf, progressSubject, resultsStream, resultSubject, type TaskPlace } from "./names.ts";
import { planRound, type RoundPlan } from "./plan.ts";
import type { QueueRun } from "./queue_run.ts";
import { Round } from "./round.ts";
import { QueueTrouble } from "./trouble.ts";
import { watchRound } from "./watch_round.ts";
import { slotsFor, workersThere } from "./workers.ts";
import type { NextMsgRequest } from "@nats-io/jetstream";
import { delay } from "./patience.ts";

/** Milliseconds without results after which the stream is asked for missed ones. */
const SILENCE = 5000;
/** The number of results that the server sends ahead, since they wait in memory. */
const AHEAD = 100;

/** Reads the results of a round in the order of the stream, from its beginning, until the signal. */
class ResultsThere {
  readonly #queue: Queue;
  readonly #stream: string;
  readonly #subject: string;
  readonly #take: (place: TaskPlace, message: ResultMessage) => void;
  #last = 0;

  constructor(
    queue: Queue,
    { run, round }: Pick<TaskPlace, "run" | "round">,
    take: (place: TaskPlace, message: ResultMessage) => void,
  ) {
    [this.#queue, this.#stream, this.#take] = [queue, resultsStream(run), take];
    this.#subject = resultSubject({ run, round });
  }

  /** Reads until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#consume(signal);
      } catch {
        // the server is away; reading continues behind the last result
      }
      await delay(250, signal);
    }
  }

  async #consume(signal: AbortSignal): Promise<void> {
    const start = { opt_start_seq: this.#last + 1, inactive_threshold: 60_000 };
    const consumer = await this.#queue.js.consumers.get(this.#stream, { filter_subjects: this.#subject, ...start });
    const messages = await consumer.consume({ max_messages: AHEAD, expires: 10_000 }),
      stop = () => void messages.close();
    const watch = setInterval(() => void this.#hasMissed().then((has) => has && stop()), SILENCE);
    signal.addEventListener("abort", stop);
    try {
      if (signal.aborted) stop();
      for await (const message of messages) {
        this.#last = message.seq;
        const result = readResult(message.data);
        if (result) this.#take(placeOf(message.subject), result);
      }
    } finally {
      clearInterval(watch);
      signal.removeEventListener("abort", stop);
      await consumer.delete().catch(() => {});
    }
  }

  /** Whether the stream has had a result for some time that did not come. */
  async #hasMissed(): Promise<boolean> {
    const seq = this.#last + 1, next: NextMsgRequest & { seq: number } = { seq, next_by_subj: this.#subject };
    const message = await this.#queue.manager.streams.getMessage(this.#stream, next).catch(() => null);
    return message !== null && Date.now() - message.time.getTime() > SILENCE && this.#last + 1 === seq;
  }
}

/** The parts that an executor over a queue needs. */
export interface QueueExecutorOptions<Work> {
  /** The run. */
  readonly run: QueueRun;
  /** The class of requirements of a task. */
  readonly groupOf: (task: RunTask<Work>) => number;
  /** The seconds that a task took before. */
  readonly secondsOf: (task: RunTask<Work>) => number | undefined;
  /** The most tasks of a batch in the first round; later rounds execute each task alone. */
  readonly size: number;
  /** Called when the first round is in the queue. */
  readonly queued?: (batches: number) => void;
  /** Takes sentences about what people should do. */
  readonly warn: (text: string) => void;
}

/** Returns an executor on the workers of a queue. Each call is a round of the run. */
export function queueExecutor<Work, Details>(options: QueueExecutorOptions<Work>): RunExecutor<Work, Details> {
  let rounds = 0;
  return {
    async execute(tasks, events) {
      await executeRound(rounds++, tasks, events, options);
    },
  };
}

async function executeRound<Work, Details>(
  number: number,
  tasks: readonly RunTask<Work>[],
  { signal, started, ended }: ExecutionEvents<Details>,
  options: QueueExecutorOptions<Work>,
): Promise<void> {
  const { run, queued } = options, isThere = run.record.rounds > number;
  const plan = isThere ? await planThere(number, tasks, run) : await newPlan(number, tasks, options);
  const round = new Round(plan, (task) => tasks[task], { ended: (verdict, _, worker) => ended(verdict, worker) });
  const keys = tasks.values().map(({ key }) => key);
  using progress = heard(run.queue, run.name, started);
  if (!isThere) await run.queueRound(number, plan, round, keys);
  if (number === 0) queued?.(plan.batches.length);
  await collect(number, { plan, round, run, signal, warn: options.warn });
  void progress;
}

/** Waits for the verdicts of a round, or the signal. */
export async function collect(
  number: number,
  { plan, round, run, signal, warn }: {
    plan: RoundPlan;
    round: Round;
    run: QueueRun;
    signal: AbortSignal;
    warn: (text: string) => void;
  },
): Promise<void> {
  const over = new AbortController(), until = AbortSignal.any([signal, over.signal]);
  const results = new ResultsThere(run.queue, { run: run.name, round: number }, (place, message) => {
    if (!until.aborted) round.take(place.number, message);
  });
  const following = results.follow(until);
  try {
    await Promise.race([round.done, aborted(until), watchRound(number, { plan, round, run, warn, signal: until })]);
  } finally {
    over.abort();
    await following;
  }
}

async function newPlan<Work>(
  number: number,
  tasks: readonly RunTask<Work>[],
  { run, groupOf, secondsOf, size }: QueueExecutorOptions<Work>,
): Promise<RoundPlan> {
  const { groups, version } = run.record, cards = await workersThere(run.queue);
  return planRound({
    count: tasks.length,
    groupOf: (task) => groupOf(tasks[task]),
    secondsOf: (task) => secondsOf(tasks[task]),
    size: number === 0 ? size : 1,
    slots: groups.map((each) => slotsFor(each, cards, version)),
  });
}

/** The plan of whoever began the run. */
async function planThere<Work>(number: number, tasks: readonly RunTask<Work>[], run: QueueRun): Promise<RoundPlan> {
  const { plan, keys } = await run.plan(number);
  if (keys.length === tasks.length && keys.every((key, task) => key === tasks[task].key)) return plan;
  throw new QueueTrouble(
    2,
    `--join: the run ${run.name} has ${keys.length} tasks in round ${
      number + 1
    }, and this command line would have ${tasks.length} or others: ` +
      "give the same list, --baseline, --flakes and --skips as the one that began the run",
  );
}

function heard(queue: Queue, run: string, started: (key: string, where: string) => void): Disposable {
  const subscription = queue.connection.subscribe(progressSubject(run), {
    callback(error, message) {
      if (!error) tell(message.data, started);
    },
  });
  return { [Symbol.dispose]: () => subscription.unsubscribe() };
}

/** Reads a message about progress, which is for people alone: a message that cannot be read is passed over. */
function tell(bytes: Uint8Array, started: (key: string, where: string) => void): void {
  try {
    const { key, worker } = decode<ProgressMessage>(bytes);
    started(key, worker);
  } catch {
    // another program wrote on the subject
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
