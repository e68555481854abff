import { cardOf } from "../../../../workbench/runs/queue/card.ts";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import type { Handlers, WorkerOptions } from "../../../../workbench/runs/queue/worker_options.ts";
import type { WorkerCard } from "../../../../workbench/runs/queue/messages.ts";
import { Worker } from "../../../../workbench/runs/queue/worker.ts";
import { until } from "../../../support/until.ts";

/** The card of a stand-in: a driver that nobody opens. */
export function standInCard(more: Partial<WorkerCard> = {}): WorkerCard {
  const devices = [{ name: "Stand-in", uuid: "00", driverVersion: 1, api: "1.0.0" }];
  const drivers = [{ name: "stand-in", path: "auto", devices }];
  return { ...cardOf({ drivers, tags: {}, slots: 1 }), ...more };
}

/** A worker in this process, which drains at the end of an `await using` scope. */
export class StandIn implements AsyncDisposable {
  readonly #drain = new AbortController();
  readonly #ended: Promise<void>;

  constructor(
    queue: Queue,
    handlers: Handlers,
    more: Partial<WorkerCard> = {},
    options: Pick<WorkerOptions, "seal" | "stop" | "now" | "tell"> = {},
  ) {
    const worker = new Worker({ queue, handlers, card: standInCard(more), drain: this.#drain.signal, ...options });
    this.#ended = worker.run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#drain.abort();
    await this.#ended;
  }
}

const ROOT = new URL("../../../../", import.meta.url).pathname;

/** Starts a process with the program of a stand-in. */
export function spawnWorker(url: string, env: Record<string, string>): Deno.ChildProcess {
  const flags = ["--quiet", "--no-check", "--import-map", `${ROOT}tools/offline_import_map.json`];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ...flags, `${ROOT}tests/workbench/runs/queue/programs/worker.ts`, url],
    env,
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
}

/** A worker in a process of its own, which is there when this resolves. The end of the scope drains it. */
export async function workerProcess(url: string, env: Record<string, string>): Promise<AsyncDisposable> {
  const queue = await Queue.open({ url }), before = (await queue.keysOf("pumice_workers")).length;
  const child = spawnWorker(url, env);
  await until("the worker is there", async () => (await queue.keysOf("pumice_workers")).length > before);
  await queue.close();
  return {
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGTERM");
      } catch {
        // it was killed before
      }
      await child.status;
    },
  };
}

/** Waits until a queue's server keeps nothing but the buckets of all runs, and what `except` names. */
export async function untilNothingIsLeft(queue: Queue, except = /^$/): Promise<void> {
  let left: string[] = [];
  await until("the server keeps nothing of the run", async () => {
    left = (await leftOf(queue)).filter((each) => !except.test(each));
    return left.length === 0;
  }).catch((error) => {
    throw new Error(`${error.message}: ${left.join(", ")}`);
  });
}

/** The streams of a queue's server, with messages and consumers, without the buckets that all runs share. */
export async function leftOf({ manager }: Queue): Promise<string[]> {
  const left: string[] = [];
  for await (const { config: { name } } of manager.streams.list()) {
    if (!/^KV_pumice_(runs|workers|times)$/.test(name)) left.push(name);
    for await (const consumer of manager.consumers.list(name)) left.push(`${name} ${consumer.name}`);
  }
  return left;
}
