import type { ExecutionEvents, RunExecutor, RunTask, RunVerdict } from "../deqp/run_tasks.ts";

/** Executes one task. After the signal, the verdict is undefined. */
export type ExecuteOne<Work, Details> = (
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
