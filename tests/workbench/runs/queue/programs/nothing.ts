/**
 * Tasks that cost nothing, or a given time: `worker URL COUNT MS` is a process with so many workers, `run URL CASES SIZE
 * WORKERS` queues cases whose names are made when they are needed, and prints what that took as JSON.
 * @module
 */
import { cpuUsage } from "node:process";
import { Queue } from "../../../../../workbench/runs/queue/connect.ts";
import { collect } from "../../../../../workbench/runs/queue/executor.ts";
import type { Handler } from "../../../../../workbench/runs/queue/worker_options.ts";
import { startRun } from "../../../../../workbench/runs/queue/over_queue.ts";
import { delay } from "../../../../../workbench/runs/queue/patience.ts";
import { planRound } from "../../../../../workbench/runs/queue/plan.ts";
import { Round } from "../../../../../workbench/runs/queue/round.ts";
import { keepMemorySmall } from "../../../../../workbench/runs/queue/small_memory.ts";
import { Worker } from "../../../../../workbench/runs/queue/worker.ts";
import { standInCard } from "../stand_in_worker.ts";

using _small = keepMemorySmall();
const [role, url, ...numbers] = Deno.args, queue = await Queue.open({ url });

/** Memory of this process in MiB: what is in use, what the process has of the system, and had at most. */
function memory(): { readonly live: number; readonly resident: number; readonly most: number } {
  const { heapUsed, external } = Deno.memoryUsage(), mebi = (bytes: number) => Math.round(bytes / 2 ** 20 * 10) / 10;
  const status = Deno.readTextFileSync("/proc/self/status");
  const of = (name: string) => mebi(1024 * Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]));
  return { live: mebi(heapUsed + external), resident: of("VmRSS"), most: of("VmHWM") };
}

/** The costs of this process so far: seconds of processor time, and what went through its connection. */
function costs(): { readonly cpu: number; readonly messages: number; readonly bytes: number } {
  const { user, system } = cpuUsage(), { inMsgs, outMsgs, inBytes, outBytes } = queue.connection.stats();
  return { cpu: (user + system) / 1e6, messages: inMsgs + outMsgs, bytes: inBytes + outBytes };
}

/** Workers until SIGTERM. */
async function work(count: number, milliseconds: number): Promise<void> {
  const drain = new AbortController();
  Deno.addSignalListener("SIGTERM", () => drain.abort());
  const nothing: Handler = async ({ pieces }, { ended }) => {
    for (const { key: name } of pieces) {
      if (milliseconds > 0) await delay(milliseconds);
      ended({ name, status: "Pass", message: "", seconds: 0 });
    }
  };
  const all = Array.from({ length: count }, () => {
    return new Worker({ queue, card: standInCard(), handlers: { nothing }, drain: drain.signal }).run();
  });
  await Promise.all(all);
}

/** Queues cases and waits for their verdicts. */
async function run(cases: number, size: number, workers: number): Promise<object> {
  for (;;) {
    if ((await queue.keysOf("pumice_workers")).length >= workers) break;
    await delay(50);
  }
  const before = memory(), nameOf = (task: number) => `dEQP-VK.group${task % 97}.a_case_with_a_name_of_its_own_${task}`;
  const options = { kind: "nothing", common: null, groups: [{}], retries: 1, patience: 30_000 };
  const began = performance.now(), run = await startRun(queue, options);
  const plan = planRound({ count: cases, groupOf: () => 0, secondsOf: () => undefined, size, slots: [workers] });
  let passed = 0;
  const round = new Round(plan, (task) => ({ key: nameOf(task) }), {
    ended: ({ status }) => passed += Number(status === "Pass"),
  });
  const keys = (function* () {
    for (let task = 0; task < cases; task++) yield nameOf(task);
  })();
  await run.queueRound(0, plan, round, keys);
  const queued = (performance.now() - began) / 1000;
  await collect(0, { plan, round, run, signal: new AbortController().signal, warn: console.error });
  const seconds = (performance.now() - began) / 1000;
  await run.end();
  const after = memory();
  return { cases, workers, passed, queued, seconds, perSecond: Math.round(cases / seconds), before, after };
}

const [first, second, third] = numbers.map(Number);
const told = role === "worker" ? await work(first, second).then(memory) : await run(first, second, third);
const paid = costs();
await queue.close();
console.log(JSON.stringify({ ...told, ...paid }));
Deno.exit(0);
