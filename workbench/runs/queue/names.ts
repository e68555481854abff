/** The names of what the queue consists of, and where a task stands. */

/** The buckets of keys and values: runs that go on, workers that are there, times that were measured. */
export const RUNS = "pumice_runs", WORKERS = "pumice_workers", TIMES = "pumice_times";

/** The place of a task in a run: the number of its class of requirements, the round of attempts, its number there. */
export interface TaskPlace {
  readonly run: string;
  readonly group: number;
  readonly round: number;
  readonly number: number;
}

/** The stream of a run's tasks. The streams of a run end with the run. */
export function tasksStream(run: string): string {
  return `PUMICE_TASKS_${run}`;
}

/** The name of the store for data of a run that are too large for a message. */
export function objectsBucket(run: string): string {
  return `pumice_${run}`;
}

/** The stream of a run's results. */
export function resultsStream(run: string): string {
  return `PUMICE_RESULTS_${run}`;
}

/** The consumer of the tasks of one class of requirements. */
export function consumerName(group: number): string {
  return `class_${group}`;
}

/** The subject of one task, or of the tasks with any number for `undefined`. */
export function taskSubject({ run, ...place }: Partial<TaskPlace>): string {
  return `pumice.task.${run ?? "*"}.${tail(place)}`;
}

/** The subject of the results of a task. */
export function resultSubject({ run, ...place }: Partial<TaskPlace>): string {
  return `pumice.result.${run ?? "*"}.${tail(place)}`;
}

/** The subject on which workers report their work; the queue keeps no such message. */
export function progressSubject(run: string): string {
  return `pumice.progress.${run}`;
}

/** Reads the subject of a task or of a result. */
export function placeOf(subject: string): TaskPlace {
  const [, , run, group, round, number] = subject.split(".");
  return { run, group: Number(group), round: Number(round), number: Number(number) };
}

function tail({ group, round, number }: Partial<TaskPlace>): string {
  return [group, round, number].map((each) => each ?? "*").join(".");
}

/** Makes a name for a run or a worker that no other has: letters and digits that are easy to say. */
export function newName(): string {
  const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
  return Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => LETTERS[byte % LETTERS.length]).join("");
}
