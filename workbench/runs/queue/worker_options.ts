import type { RunVerdict } from "../deqp/run_tasks.ts";
import type { Queue } from "./connect.ts";
import type { CardDriver, WorkerCard } from "./messages.ts";
import type { TaskPlace } from "./names.ts";
import type { DeliveredTask } from "./pull.ts";
import type { RunStore } from "./stores.ts";
import type { TaskChecker } from "./signing.ts";
import type { RunsThere, RunThere } from "./stored_runs.ts";

/** The options of a worker. */
export interface WorkerOptions {
  readonly queue: Queue;
  /** The card by which the worker presents itself. */
  readonly card: WorkerCard;
  /** The handlers of the worker. */
  readonly handlers: Handlers;
  /** Ends the taking of tasks; running tasks are finished. */
  readonly drain: AbortSignal;
  /** Ends running tasks, too: the tasks go to other workers. */
  readonly stop?: AbortSignal;
  /** Whether the worker ends when there is nothing left to do. */
  readonly isOnce?: boolean;
  /** Takes only tasks with a good signature, of runs whose lease goes on. */
  readonly seal?: TaskChecker;
  /** Milliseconds since 1970. Default: `Date.now()`. */
  readonly now?: () => number;
  /** Tells people what happens. */
  readonly tell?: (text: string) => void;
  /** Shows how far the worker is; `""` for nothing. */
  readonly show?: (text: string) => void;
  /** Called with each sign of life. */
  readonly tidy?: () => void;
}

/** A task that was delivered to this worker. */
export interface Delivery extends WorkerOptions {
  readonly message: DeliveredTask;
  readonly place: TaskPlace;
  readonly run: RunThere;
  readonly driver: CardDriver;
  readonly runs: RunsThere;
  readonly work: WorkHere;
}

/** Pieces of work that a worker executes one after the other. */
export interface Batch {
  /** The name of the run. */
  readonly run: string;
  /** The common part of all tasks of the run. */
  readonly common: unknown;
  /** The pieces. */
  readonly pieces: readonly { readonly key: string; readonly work?: unknown }[];
  /** The driver to work on. */
  readonly driver: CardDriver;
  /** All drivers of the worker. */
  readonly drivers: readonly CardDriver[];
  /** The data of the run that are too large for a message. */
  readonly store: RunStore;
  /** Ends the work: the run does not want its verdicts any more. */
  readonly signal: AbortSignal;
}

/** The events that a handler reports of its work. */
interface BatchEvents {
  /** A piece begins. */
  started(key: string): void;
  /** Called with the verdict of a piece. */
  ended(verdict: RunVerdict): void;
}

/**
 * Executes the tasks of one kind. Pieces without a verdict get `Missing`. An error is the verdict of all pieces that
 * have none.
 */
export type Handler = (batch: Batch, events: BatchEvents) => Promise<void>;

/** The handlers of a worker, by the kind of task. */
export type Handlers = Readonly<Record<string, Handler>>;

/** The work of a worker that needs no server. Work that waits for the server is not at work meanwhile. */
export class WorkHere {
  #count = 0;

  /** Whether anything is at work. */
  get isOn(): boolean {
    return this.#count > 0;
  }

  /** Runs work. */
  during<Value>(run: () => Promise<Value>): Promise<Value> {
    return this.#changedBy(1, run);
  }

  /** Waits for the server inside of work. */
  outside<Value>(wait: () => Promise<Value>): Promise<Value> {
    return this.#changedBy(-1, wait);
  }

  async #changedBy<Value>(by: 1 | -1, run: () => Promise<Value>): Promise<Value> {
    this.#count += by;
    try {
      return await run();
    } finally {
      this.#count -= by;
    }
  }
}
