import type { RunExecutor, RunRules, RunVerdict } from "../deqp/run_tasks.ts";
import { bundleTests, type TestBundle } from "../test/bundle.ts";
import { bringHome, type SentDetails } from "../test/home.ts";
import { executeGpuTest, type GpuTestDetails, type GpuTestTask, type GpuTestWork } from "../test/work.ts";
import { Arrivals } from "./arrivals.ts";
import type { RunStore } from "./stores.ts";
import { bundleName } from "./test_handler.ts";

type Executor = RunExecutor<GpuTestWork, GpuTestDetails>;

/** Adds this machine's work to an executor of other machines: results that are known, and files that come home. */
export function comingHome(store: RunStore): (executor: Executor) => Executor {
  return (executor) => ({
    async execute(tasks, events) {
      const away = tasks.filter(({ work }) => work.bundle !== undefined && !work.known), arrivals = new Arrivals();
      const byKey = new Map(away.map((task) => [task.key, task])), seen = new Set<string>();
      for (const task of tasks) {
        if (!byKey.has(task.key)) events.ended((await executeGpuTest(task, events.signal))!);
      }
      const ended = (verdict: RunVerdict<SentDetails>) => {
        const task = byKey.get(verdict.name);
        if (!task || seen.has(verdict.name)) return;
        seen.add(verdict.name);
        arrivals.add(async () => events.ended(await bringHome(task, verdict, (name) => store.get(name))));
      };
      if (away.length > 0) await executor.execute(away, { ...events, ended });
      await arrivals.end();
    },
  });
}

/** Tasks that name their bundles, and the bundles. */
export interface BundledTasks {
  readonly tasks: readonly GpuTestTask[];
  readonly bundles: readonly TestBundle[];
}

/** The number of bundles that are made at a time. */
const BUNDLES_AT_A_TIME = 2;

/** Bundles the files of tasks, each once. If a file cannot be bundled, that is the result of the file's tasks. */
export async function bundled(
  tasks: readonly GpuTestTask[],
  skips: RunRules["skips"],
  signal: AbortSignal,
): Promise<BundledTasks> {
  const needed = tasks.filter(({ key, work }) => work.test && !skips?.(key));
  const files = [...Map.groupBy(needed, ({ work }) => work.test!.file)], left = files.values();
  const made = new Map<string, TestBundle | Error>();
  const drain = async () => {
    for (const [file, own] of left) {
      if (signal.aborted) return;
      made.set(file, await bundleTests(file, own.map(({ work }) => work.test!)).catch((error: Error) => error));
    }
  };
  await Promise.all(Array.from({ length: BUNDLES_AT_A_TIME }, drain));
  const bundles = [...made.values()].filter((each): each is TestBundle => !(each instanceof Error));
  return { tasks: tasks.map((task) => withBundle(task, made.get(task.work.test?.file ?? ""))), bundles };
}

/** Stores bundles for the workers of a run. */
export async function storeBundles(bundles: readonly TestBundle[], store: RunStore): Promise<void> {
  await store.make();
  for (const { hash, bytes } of bundles) await store.put(bundleName(hash), bytes);
}

function withBundle(task: GpuTestTask, made: TestBundle | Error | undefined): GpuTestTask {
  if (made === undefined) return task;
  if (!(made instanceof Error)) return { ...task, work: { ...task.work, bundle: made.hash } };
  const known = { status: "InternalError" as const, message: `the file cannot be bundled: ${made.message}` };
  return { ...task, work: { ...task.work, known } };
}
