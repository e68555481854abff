import type { RunExecutor, RunVerdict } from "../deqp/run_tasks.ts";
import { bringHome, type SentDetails } from "../test/home.ts";
import { executeGpuTest, type GpuTestDetails, type GpuTestWork } from "../test/work.ts";
import type { RunStore } from "./run_store.ts";

type Executor = RunExecutor<GpuTestWork, GpuTestDetails>;

/** The number of verdicts that come home at a time: a failure's script is bundled. */
const AT_A_TIME = 2;

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

/** Work that goes on beside the execution, a few pieces at a time. */
class Arrivals {
  readonly #left: (() => Promise<void>)[] = [];
  readonly #running = new Set<Promise<void>>();

  add(arrive: () => Promise<void>): void {
    this.#left.push(arrive);
    if (this.#running.size >= AT_A_TIME) return;
    const run = this.#drain().finally(() => this.#running.delete(run));
    run.catch(() => {}); // end() hears of it
    this.#running.add(run);
  }

  async end(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #drain(): Promise<void> {
    for (let next = this.#left.shift(); next; next = this.#left.shift()) await next();
  }
}
