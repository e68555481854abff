import type { DeqpOptions } from "./options.ts";
import { runProcess } from "./process.ts";
import type { ExecutionEvents, RunExecutor } from "./run_tasks.ts";

const GROUP = 500;
/** How many times in a row a process may end before it reports a case. */
const FALSE_STARTS = 2;

type Events = ExecutionEvents<never>;

/**
 * Returns an executor of cases: groups of them in several processes at a time, with files below a folder. After the
 * first execution, each case runs alone.
 */
export function deqpExecutor(options: DeqpOptions, folder: string): RunExecutor<undefined, never> {
  const { shards = navigator.hardwareConcurrency, groupSize = GROUP } = options;
  let size = groupSize;
  return {
    async execute(tasks, events) {
      const names = tasks.map(({ key }) => key), left = groupsOf(names, groupFor(names.length, shards, size));
      size = 1;
      const drain = async (_: unknown, shard: number) => {
        const place = { folder: `${folder}/${shard}`, shard };
        Deno.mkdirSync(place.folder, { recursive: true });
        for (let group = left.shift(); group; group = left.shift()) await runGroup(options, group, place, events);
      };
      await Promise.all(Array.from({ length: Math.min(shards, left.length) }, drain));
    },
  };
}

/** Small enough for every shard to have work. */
function groupFor(count: number, shards: number, size: number): number {
  return Math.max(1, Math.min(size, Math.ceil(count / shards)));
}

function groupsOf(names: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(names.length / size) }, (_, at) => names.slice(at * size, (at + 1) * size));
}

/** Runs one process after another until all cases have results. */
async function runGroup(
  options: DeqpOptions,
  group: readonly string[],
  { folder, shard }: { readonly folder: string; readonly shard: number },
  { signal, started, ended }: Events,
): Promise<void> {
  const events = { signal, ended, started: (name: string) => started(name, `${shard}`) };
  let left = [...group], falseStarts = 0, end = "aborted";
  while (left.length > 0 && falseStarts < FALSE_STARTS && !signal.aborted) {
    const outcome = await runProcess(options, left, folder, events), { settled } = outcome;
    left = left.filter((name) => !settled.has(name));
    end = outcome.end;
    if (outcome.isDone) break;
    falseStarts = settled.size === 0 ? falseStarts + 1 : 0;
  }
  for (const name of left) ended({ name, status: "Missing", message: `nothing was said of it; ${end}` });
}
