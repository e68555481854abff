import type { RunVerdict } from "../deqp/run_tasks.ts";
import type { PieceVerdict, ResultMessage, TaskMessage } from "./messages.ts";
import { type RoundPlan, taskAt } from "./plan.ts";

/** A task as the queue gets it. */
export interface QueuedTask {
  readonly key: string;
  readonly work?: unknown;
}

/** The events of a round. */
export interface RoundEvents {
  /** The first verdict about a task. */
  ended(verdict: RunVerdict<never>, task: number, worker: string): void;
}

/** The knowledge about a round: a bit for each task. */
export class Round {
  readonly #plan: RoundPlan;
  readonly #taskOf: (task: number) => QueuedTask;
  readonly #events: RoundEvents;
  readonly #settled: Uint8Array;
  readonly #done = Promise.withResolvers<void>();
  #left: number;

  constructor(plan: RoundPlan, taskOf: (task: number) => QueuedTask, events: RoundEvents) {
    [this.#plan, this.#taskOf, this.#events] = [plan, taskOf, events];
    this.#left = plan.batches.reduce((sum, { length }) => sum + length, 0);
    this.#settled = new Uint8Array((this.#left + 7) >> 3);
    if (this.#left === 0) this.#done.resolve();
  }

  /** Resolves when each task has a verdict. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** The number of tasks without a verdict. */
  get left(): number {
    return this.#left;
  }

  /** The message for a batch. */
  message(number: number): TaskMessage {
    const batch = this.#plan.batches[number];
    const tasks = Array.from({ length: batch.length }, (_, index) => this.#taskOf(taskAt(this.#plan, batch, index)));
    const keys = tasks.map(({ key }) => key), hasWork = tasks.some(({ work }) => work !== undefined);
    return { keys, ...hasWork ? { work: tasks.map(({ work }) => work) } : {} };
  }

  /** The numbers of batches with tasks that have no verdict. */
  open(): number[] {
    return [...this.#plan.batches.keys()].filter((number) => {
      const { start, length } = this.#plan.batches[number];
      return Array.from({ length }, (_, index) => start + index).some((at) => !this.#has(at));
    });
  }

  /** Takes verdicts about a batch. Those that are known are left out. */
  take(number: number, { verdicts, worker }: ResultMessage): void {
    const batch = this.#plan.batches[number];
    for (const verdict of verdicts) {
      const index = verdict[0], at = batch && batch.start + index;
      if (!batch || !(index >= 0 && index < batch.length) || this.#has(at)) continue;
      this.#settled[at >> 3] |= 1 << (at & 7);
      this.#left--;
      const task = taskAt(this.#plan, batch, index);
      this.#events.ended(verdictOf(this.#taskOf(task).key, verdict), task, worker);
    }
    if (this.#left === 0) this.#done.resolve();
  }

  #has(at: number): boolean {
    return (this.#settled[at >> 3] & 1 << (at & 7)) !== 0;
  }
}

function verdictOf(name: string, [, status, message, seconds, details, isFinal]: PieceVerdict): RunVerdict<never> {
  return {
    name,
    status,
    message,
    ...typeof seconds === "number" ? { seconds } : {},
    ...details === undefined || details === null ? {} : { details: details as never },
    ...isFinal ? { isFinal: true } : {},
  };
}
