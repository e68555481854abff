import type { Queue } from "./connect.ts";
import type { Handlers } from "./handler.ts";
import type { CardDriver, WorkerCard } from "./messages.ts";
import type { TaskPlace } from "./names.ts";
import type { DeliveredTask } from "./pull.ts";
import type { RunsThere, RunThere } from "./stored_runs.ts";
import type { TaskChecker } from "./seal.ts";
import type { WorkHere } from "./work_here.ts";

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
