import { assertEquals } from "@std/assert";
import { localExecutor, type RunRules, type RunTask, runTasks } from "../../../../workbench/runs/deqp/run_tasks.ts";
import type { DeqpStatus } from "../../../../workbench/runs/deqp/status.ts";

const KEYS = ["a", "b", "c", "d"];

/** Tasks whose work is the list of statuses of their attempts. */
function tasksOf(work: Readonly<Record<string, DeqpStatus[]>>): RunTask<DeqpStatus[]>[] {
  return Object.entries(work).map(([key, statuses]) => ({ key, work: [...statuses] }));
}

/** An executor that ends tasks in the opposite order. */
const BACKWARDS = {
  execute(tasks: readonly RunTask<DeqpStatus[]>[], { started, ended }: Parameters<typeof localOf>[1]) {
    for (const { key, work } of tasks.toReversed()) {
      started(key, "1");
      ended({ name: key, status: work.shift() ?? "Fail", message: `says ${key}` });
      ended({ name: key, status: "Crash", message: "a second time" });
    }
    return Promise.resolve();
  },
};

function localOf(
  tasks: readonly RunTask<DeqpStatus[]>[],
  events: Parameters<ReturnType<typeof localExecutor>["execute"]>[1],
) {
  return localExecutor<DeqpStatus[], unknown>(2, ({ key, work }) => {
    return Promise.resolve({ name: key, status: work.shift() ?? "Fail", message: `says ${key}` });
  }).execute(tasks, events);
}

async function outcomes(work: Readonly<Record<string, DeqpStatus[]>>, rules: RunRules): Promise<string[]> {
  const all = await Promise.all([BACKWARDS, { execute: localOf }].map((each) => runTasks(tasksOf(work), each, rules)));
  assertEquals(all[0], all[1], "the same whatever the order of the ends");
  return all[0].results.map(({ name, outcome, attempts }) => `${name} ${outcome} ${attempts.length}`);
}

Deno.test("runTasks() gives each task one result, in the order of the tasks", async () => {
  const work = { a: ["Pass"], b: ["Fail", "Pass"], c: ["Crash", "Crash"], d: ["NotSupported"] } as const;
  const own = Object.fromEntries(Object.entries(work).map(([key, each]) => [key, [...each]]));
  assertEquals(await outcomes(own, { retries: 1 }), ["a passed 1", "b flaky 2", "c crashed 2", "d passed 1"]);
  assertEquals(await outcomes(own, { retries: 0 }), ["a passed 1", "b failed 1", "c crashed 1", "d passed 1"]);
});

Deno.test("runTasks() knows skips, flakes and a baseline", async () => {
  const work: Record<string, DeqpStatus[]> = { a: ["Fail"], b: ["Fail"], c: ["Fail"], d: ["Pass"] };
  const rules: RunRules = {
    retries: 3,
    skips: (name) => name === "a",
    flakes: (name) => name === "b",
    baseline: new Map([["c", "Fail"], ["d", "Fail"]]),
  };
  assertEquals(await outcomes(work, rules), ["a skipped 1", "b flaky 1", "c expected 1", "d fixed 1"]);
});

Deno.test("runTasks() ends at the first unexpected failure with bail, and at a signal", async () => {
  const tasks = tasksOf({ a: ["Pass"], b: ["Fail"], c: ["Pass"], d: ["Pass"] });
  const one = localExecutor<DeqpStatus[], unknown>(1, ({ key, work }) => {
    return Promise.resolve({ name: key, status: work.shift()!, message: "" });
  });
  const { results, isGood } = await runTasks(tasks, one, { retries: 0, bail: true });
  assertEquals([results.map(({ outcome }) => outcome), isGood], [["passed", "failed", "missing", "missing"], false]);
  const stop = new AbortController(), seen: string[] = [];
  const stopped = await runTasks(tasksOf(Object.fromEntries(KEYS.map((key) => [key, ["Pass"]]))), one, {
    retries: 1,
    signal: stop.signal,
  }, {
    settled: ({ name }) => {
      seen.push(name);
      if (name === "b") stop.abort();
    },
  });
  assertEquals([seen, stopped.results.map(({ outcome }) => outcome)], [["a", "b"], [
    "passed",
    "passed",
    "missing",
    "missing",
  ]]);
});
