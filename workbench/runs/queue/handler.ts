import type { RunVerdict } from "../deqp/run_tasks.ts";
import type { CardDriver } from "./messages.ts";
import type { RunStore } from "./run_store.ts";

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
  /** The data of the run that are too large for a message. */
  readonly store: RunStore;
  /** Ends the work: the run does not want its verdicts any more. */
  readonly signal: AbortSignal;
}

/** The events that a handler reports of its work. */
export interface BatchEvents {
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
