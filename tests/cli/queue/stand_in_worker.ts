import { cardOf } from "../../../cli/queue/card.ts";
import type { Queue } from "../../../cli/queue/connect.ts";
import type { Handlers } from "../../../cli/queue/handler.ts";
import type { WorkerCard } from "../../../cli/queue/messages.ts";
import { Worker, type WorkerOptions } from "../../../cli/queue/worker.ts";

/** What a stand-in says of itself: a driver that nobody opens. */
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
    options: Pick<WorkerOptions, "seal"> = {},
  ) {
    const worker = new Worker({ queue, handlers, card: standInCard(more), drain: this.#drain.signal, ...options });
    this.#ended = worker.run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#drain.abort();
    await this.#ended;
  }
}

/** Waits until something is so, for at most some seconds. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  for (const end = performance.now() + 1000 * seconds; performance.now() < end;) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`It did not happen within ${seconds} s: ${what}`);
}

/** What a queue's server keeps: streams with their messages and consumers, without the buckets that all runs share. */
export async function leftOf({ manager }: Queue): Promise<string[]> {
  const left: string[] = [];
  for await (const { config: { name } } of manager.streams.list()) {
    if (!/^KV_pumice_(runs|workers|times)$/.test(name)) left.push(name);
    for await (const consumer of manager.consumers.list(name)) left.push(`${name} ${consumer.name}`);
  }
  return left;
}
