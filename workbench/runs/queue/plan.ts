/** Consecutive tasks that one worker gets together. */
export interface PlannedBatch {
  /** The class of requirements. */
  readonly group: number;
  /** The place of the batch's beginning in the plan's order. */
  readonly start: number;
  /** The number of the batch's tasks. */
  readonly length: number;
}

/** The division of a round's tasks. */
export interface RoundPlan {
  /** The numbers of the tasks by class; absent where that is the order of the tasks. */
  readonly order?: readonly number[];
  /** The batches: those that take longest come first. */
  readonly batches: readonly PlannedBatch[];
}

/** The tasks that are to be divided. */
export interface RoundTasks {
  /** The number of tasks. */
  readonly count: number;
  /** The class of each task. */
  readonly groupOf: (task: number) => number;
  /** The seconds that each task took before; `undefined` for a task that was never measured. */
  readonly secondsOf: (task: number) => number | undefined;
  /** The most tasks of a batch. */
  readonly size: number;
  /** The number of tasks of each class that may run at a time. */
  readonly slots: readonly number[];
}

/**
 * The least seconds of a batch, since each batch costs a process and messages; and the least number of batches for each
 * slot.
 */
const LEAST = 0.2, SHARES = 8, COUNTED_SHARES = 4;
/** The assumed seconds of a task, where none was measured. */
const GUESS = 0.01;

/** Divides tasks into batches of about the same time, small enough for every worker to have work until the end. */
export function planRound(tasks: RoundTasks): RoundPlan {
  const order = orderOf(tasks), seconds = guessing(tasks);
  const batches: (PlannedBatch & { readonly seconds: number })[] = [];
  for (let start = 0; start < tasks.count;) {
    const group = tasks.groupOf(order?.[start] ?? start);
    let end = start;
    while (end < tasks.count && tasks.groupOf(order?.[end] ?? end) === group) end++;
    batches.push(...cut({ group, start, end }, (at) => seconds(order?.[at] ?? at), tasks));
    start = end;
  }
  const sorted = batches.sort((one, other) => other.seconds - one.seconds || one.start - other.start);
  return { order, batches: sorted.map(({ group, start, length }) => ({ group, start, length })) };
}

/** Returns the number of the task at a place of a batch. */
export function taskAt({ order }: RoundPlan, { start }: PlannedBatch, index: number): number {
  return order ? order[start + index] : start + index;
}

function orderOf({ count, groupOf }: RoundTasks): number[] | undefined {
  let isSorted = true;
  for (let task = 1; task < count && isSorted; task++) isSorted = groupOf(task) >= groupOf(task - 1);
  if (isSorted) return undefined;
  return Array.from({ length: count }, (_, task) => task).sort((one, other) => groupOf(one) - groupOf(other));
}

/** Returns the seconds of each task: a task that was never measured takes as long as the others on average. */
function guessing({ count, secondsOf }: RoundTasks): (task: number) => number {
  let sum = 0, known = 0;
  for (let task = 0; task < count; task++) {
    const seconds = secondsOf(task);
    if (seconds !== undefined) [sum, known] = [sum + seconds, known + 1];
  }
  const guess = known > 0 ? sum / known : GUESS;
  return (task) => secondsOf(task) ?? guess;
}

function* cut(
  { group, start, end }: { group: number; start: number; end: number },
  seconds: (at: number) => number,
  { size, slots }: RoundTasks,
): Generator<PlannedBatch & { readonly seconds: number }> {
  let all = 0;
  for (let at = start; at < end; at++) all += seconds(at);
  const workers = Math.max(1, slots[group]),
    most = Math.max(1, Math.min(size, Math.ceil((end - start) / (workers * COUNTED_SHARES))));
  const longest = Math.max(LEAST, all / (workers * SHARES));
  for (let first = start, sum = 0, at = start; at < end; at++) {
    sum += seconds(at);
    const isFull = at + 1 - first >= most || at + 1 === end || sum + seconds(at + 1) > longest;
    if (!isFull) continue;
    yield { group, start: first, length: at + 1 - first, seconds: sum };
    [first, sum] = [at + 1, 0];
  }
}
