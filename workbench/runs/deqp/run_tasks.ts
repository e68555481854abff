import { isFailure, isTriedAgain, judge, runOf } from "./judge.ts";
import type { DeqpOptions, DeqpResult, DeqpRun } from "./options.ts";
import type { DeqpCase } from "./status.ts";

/** One piece of work of a run. A task is data that JSON keeps, so that a task can travel to another machine. */
export interface RunTask<Work = unknown, Details = unknown> {
  /** Identifies the task within the run, and names the result: `FILE / TEST / DRIVER`, or the name of a case. */
  readonly key: string;
  /** The instruction for an executor. */
  readonly work: Work;
  /** Facts for reports about a task that is skipped, or has no verdict. */
  readonly details?: Details;
}

/** The outcome of one attempt at a task. A verdict is data that JSON keeps, and reports are made of verdicts alone. */
export interface RunVerdict<Details = unknown> extends DeqpCase {
  /** The key of the task. */
  readonly name: string;
  /** More facts for reports. */
  readonly details?: Details;
  /** Whether the verdict stands, so that the task is not executed again. */
  readonly isFinal?: boolean;
}

/** The events of an execution. */
export interface ExecutionEvents<Details> {
  /** Ends the execution early. The executor ends what runs, and leaves the other tasks without a verdict. */
  readonly signal: AbortSignal;
  /** Called when a task begins; `where` is a slot or a worker. */
  started(key: string, where: string): void;
  /**
   * Called with each verdict, in any order; `where` is the worker, if there are several. A second verdict of one
   * execution about a key is ignored.
   */
  ended(verdict: RunVerdict<Details>, where?: string): void;
}

/** Executes tasks: on this machine, or on others. */
export interface RunExecutor<Work, Details> {
  /** Executes each task once. Resolves when all tasks have a verdict, or after the signal. */
  execute(tasks: readonly RunTask<Work>[], events: ExecutionEvents<Details>): Promise<void>;
}

/** The rules by which attempts become results. */
export interface RunRules extends Pick<DeqpOptions, "baseline" | "flakes" | "skips"> {
  /** The most further executions of a task that fails unexpectedly. */
  readonly retries: number;
  /** Whether the first unexpected failure ends the run. */
  readonly bail?: boolean;
  /** Ends the run. Tasks without a verdict are `Missing`. */
  readonly signal?: AbortSignal;
}

/** A result with the facts of the last attempt. */
export interface RunResult<Details> extends DeqpResult {
  /** More facts for reports. */
  readonly details?: Details;
}

/** The results of a run, in the order of the tasks, whatever the order of their ends. */
export interface RunOutcome<Details> extends DeqpRun {
  /** The results. */
  readonly results: readonly RunResult<Details>[];
}

/** The events of a run while it goes on. */
export interface RunListener<Details> {
  /** A task has begun. */
  started?(key: string, where: string): void;
  /** A task has its final result. */
  settled?(result: RunResult<Details>, where?: string): void;
}

/** Executes tasks, executes unexpected failures again, and judges all attempts. */
export async function runTasks<Work, Details>(
  tasks: readonly RunTask<Work, Details>[],
  executor: RunExecutor<Work, Details>,
  rules: RunRules,
  listener: RunListener<Details> = {},
): Promise<RunOutcome<Details>> {
  const run = new Run<Details>(tasks, rules, listener);
  for (let round = 0; round <= rules.retries && !run.signal.aborted; round++) {
    const wanted = tasks.filter(({ key }) => run.isWanted(key, round));
    if (wanted.length > 0) await executor.execute(wanted, run.events());
  }
  return run.outcome();
}

class Run<Details> {
  readonly #attempts: Map<string, RunVerdict<Details>[]>;
  readonly #details: ReadonlyMap<string, Details | undefined>;
  readonly #rules: RunRules;
  readonly #listener: RunListener<Details>;
  readonly #bail = new AbortController();
  /** Ends executions. */
  readonly signal: AbortSignal;

  constructor(tasks: readonly RunTask<unknown, Details>[], rules: RunRules, listener: RunListener<Details>) {
    const skip = (name: string): RunVerdict<Details> => ({ name, status: "Skip", message: "" });
    this.#attempts = new Map(tasks.map(({ key }) => [key, rules.skips?.(key) ? [skip(key)] : []]));
    this.#details = new Map(tasks.map(({ key, details }) => [key, details]));
    [this.#rules, this.#listener] = [rules, listener];
    this.signal = AbortSignal.any([this.#bail.signal, ...rules.signal ? [rules.signal] : []]);
  }

  /** Whether a task is executed in a round, counted from 0. */
  isWanted(key: string, round: number): boolean {
    const attempts = this.#attempts.get(key)!, last = attempts.at(-1);
    return round === 0 ? !last : last !== undefined && this.#isTriedAgain(last);
  }

  /** The events of one execution. */
  events(): ExecutionEvents<Details> {
    const seen = new Set<string>();
    return {
      signal: this.signal,
      started: (key, where) => this.#listener.started?.(key, where),
      ended: (verdict, where) => {
        if (seen.has(verdict.name) || !this.#attempts.has(verdict.name)) return;
        seen.add(verdict.name);
        this.#note(verdict, where);
      },
    };
  }

  outcome(): RunOutcome<Details> {
    const results = [...this.#attempts.keys()].map((key) => this.#resultOf(key));
    return { ...runOf(results), results };
  }

  #note(verdict: RunVerdict<Details>, where?: string): void {
    const attempts = this.#attempts.get(verdict.name)!;
    attempts.push(verdict);
    if (this.#isTriedAgain(verdict) && attempts.length <= this.#rules.retries) return;
    const result = this.#resultOf(verdict.name);
    this.#listener.settled?.(result, where);
    if (this.#rules.bail && isFailure(result.outcome)) this.#bail.abort();
  }

  #isTriedAgain(verdict: RunVerdict<Details>): boolean {
    return !verdict.isFinal && isTriedAgain(verdict, this.#rules);
  }

  #resultOf(key: string): RunResult<Details> {
    const attempts = this.#attempts.get(key)!, details = attempts.at(-1)?.details ?? this.#details.get(key);
    const result = judge(key, attempts, this.#rules);
    const message = result.status === "Missing" && attempts.length === 0 ? "not run" : result.message;
    return { ...result, message, ...details === undefined ? {} : { details } };
  }
}

/** Executes one task. After the signal, the verdict is undefined. */
type ExecuteOne<Work, Details> = (
  task: RunTask<Work>,
  signal: AbortSignal,
) => Promise<RunVerdict<Details> | undefined>;

/** Returns an executor of this machine: so many slots, each of which takes the next task when the last has ended. */
export function localExecutor<Work, Details>(
  slots: number,
  execute: ExecuteOne<Work, Details>,
): RunExecutor<Work, Details> {
  return {
    async execute(tasks, events) {
      const left = tasks.values();
      await Promise.all(Array.from({ length: Math.min(slots, tasks.length) }, (_, slot) => {
        return drain(left, `${slot + 1}`, execute, events);
      }));
    },
  };
}

async function drain<Work, Details>(
  left: Iterator<RunTask<Work>>,
  slot: string,
  execute: ExecuteOne<Work, Details>,
  { signal, started, ended }: ExecutionEvents<Details>,
): Promise<void> {
  for (let next = left.next(); !next.done && !signal.aborted; next = left.next()) {
    started(next.value.key, slot);
    const verdict = await execute(next.value, signal);
    if (verdict) ended(verdict);
  }
}
