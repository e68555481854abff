import type { DeqpOptions, DeqpPart } from "./options.ts";
import { type ProcessEvents, runProcess } from "./process.ts";
import type { ExecutionEvents, RunExecutor, RunTask } from "./run_tasks.ts";

const GROUP = 500;
/** The most times in a row that a process may end before it reports a case. */
const FALSE_STARTS = 2;

type Events = ExecutionEvents<never>;

/** Cases of one part for one process. */
interface Group {
  readonly part: DeqpPart;
  readonly names: readonly string[];
}

/**
 * Returns an executor of cases: groups of them in several processes at a time, with files below a folder. After the
 * first execution, each case runs alone. The work of a task is the index of its part.
 */
export function deqpExecutor(
  parts: readonly DeqpPart[],
  folder: string,
  shards: number = navigator.hardwareConcurrency,
): RunExecutor<number, never> {
  let isFirst = true;
  return {
    async execute(tasks, events) {
      const left = parts.flatMap((part, index) => groupsOf(part, index, tasks, isFirst ? shards : Infinity));
      isFirst = false;
      const drain = async (_: unknown, shard: number) => {
        const place = { folder: `${folder}/${shard}`, shard };
        Deno.mkdirSync(place.folder, { recursive: true });
        for (let group = left.shift(); group; group = left.shift()) await runGroup(group, place, events);
      };
      await Promise.all(Array.from({ length: Math.min(shards, left.length) }, drain));
    },
  };
}

/** The groups of a part, small enough for every shard to have work. */
function groupsOf(part: DeqpPart, index: number, tasks: readonly RunTask<number>[], shards: number): Group[] {
  const { prefix = "" } = part, { groupSize = GROUP }: Pick<DeqpOptions, "groupSize"> = part;
  const names = tasks.filter(({ work }) => work === index).map(({ key }) => key.slice(prefix.length));
  const size = Math.max(1, Math.min(groupSize, Math.ceil(tasks.length / shards)));
  return Array.from({ length: Math.ceil(names.length / size) }, (_, at) => ({
    part,
    names: names.slice(at * size, (at + 1) * size),
  }));
}

/** Runs one process after another until all cases have results. */
async function runGroup(
  { part, names }: Group,
  { folder, shard }: { readonly folder: string; readonly shard: number },
  { signal, started, ended }: Events,
): Promise<void> {
  const { prefix = "" } = part;
  const events: ProcessEvents = {
    signal,
    started: (name) => started(`${prefix}${name}`, `${shard}`),
    ended: (result) => ended({ ...result, name: `${prefix}${result.name}` }),
  };
  let left = [...names], falseStarts = 0, end = "aborted";
  while (left.length > 0 && falseStarts < FALSE_STARTS && !signal.aborted) {
    const outcome = await runProcess(part, left, folder, events), { settled } = outcome;
    left = left.filter((name) => !settled.has(name));
    end = outcome.end;
    if (outcome.isDone) break;
    falseStarts = settled.size === 0 ? falseStarts + 1 : 0;
  }
  for (const name of left) events.ended({ name, status: "Missing", message: `nothing was said of it; ${end}` });
}
