import { assertEquals } from "@std/assert";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import type { Handler } from "../../../../workbench/runs/queue/worker_options.ts";
import { encode } from "../../../../workbench/runs/queue/messages.ts";
import { consumerName, tasksStream } from "../../../../workbench/runs/queue/names.ts";
import { runOverQueue, startRun } from "../../../../workbench/runs/queue/over_queue.ts";
import { pullOne } from "../../../../workbench/runs/queue/pull.ts";
import type { QueueRun } from "../../../../workbench/runs/queue/queue_run.ts";
import type { RunOutcome } from "../../../../workbench/runs/deqp/run_tasks.ts";
import { natsServerPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { NatsServer } from "./nats_server.ts";
import { StandIn, standInCard } from "./stand_in_worker.ts";
import { until } from "../../../support/until.ts";

const NATS = needs("NATS server", natsServerPath());
/** Four batches of three pieces for one worker. */
const TASKS = Array.from({ length: 12 }, (_, at) => ({ key: `${at}`, work: undefined })), RULES = { retries: 0 };
const PASSED = TASKS.map(() => "Pass ");

/** Passes each piece. */
const passing: Handler = ({ pieces }, { ended }) => {
  for (const { key: name } of pieces) ended({ name, status: "Pass", message: "" });
  return Promise.resolve();
};

/** Queues tasks that may cost no worker. */
async function queued(queue: Queue, tasks = TASKS): Promise<QueueRun> {
  const card = standInCard();
  await queue.workers.put(card.worker, encode(card));
  const run = await startRun(queue, { kind: "note", common: null, groups: [{}], retries: 0, patience: 200 });
  await runOverQueue(run, tasks, { groupOf: () => 0, size: 3, isLeft: true, warn() {} }, RULES);
  await queue.workers.purge(card.worker);
  return run;
}

async function joined(run: QueueRun, tasks = TASKS): Promise<string[]> {
  const outcome = await runOverQueue(run, tasks, { groupOf: () => 0, size: 3, warn() {} }, RULES);
  return (outcome as RunOutcome<unknown>).results.map(({ status, message }) => `${status} ${message}`);
}

async function withQueue(use: (queue: Queue) => Promise<void>): Promise<void> {
  await using server = await NatsServer.start();
  const queue = await Queue.open({ url: server.url });
  try {
    await use(queue);
  } finally {
    await queue.close();
  }
}

Deno.test(
  "workers that were lost with a task before they began it are counted over no piece",
  NATS,
  () =>
    withQueue(async (queue) => {
      const run = await queued(queue), deliveries: number[] = [];
      await until("the task was lost three times", async () => {
        const task = await pullOne(queue, tasksStream(run.name), consumerName(0));
        if (task) deliveries.push(task.delivery);
        return deliveries.includes(3);
      });
      await using _worker = new StandIn(queue, { note: passing });
      assertEquals(await joined(run), PASSED);
    }),
);

Deno.test(
  "a worker that gives back what runs, at the second signal, is counted over no piece",
  NATS,
  () =>
    withQueue(async (queue) => {
      const [first] = TASKS, run = await queued(queue, [first]), stop = new AbortController();
      const waiting: Handler = ({ signal }) => {
        stop.abort();
        return new Promise((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener("abort", () => resolve());
        });
      };
      const stopped = new StandIn(queue, { note: waiting }, {}, { stop: stop.signal });
      await until("the worker has begun", () => stop.signal.aborted);
      await stopped[Symbol.asyncDispose]();
      await using _other = new StandIn(queue, { note: passing });
      assertEquals(await joined(run, [first]), ["Pass "]);
    }),
);
