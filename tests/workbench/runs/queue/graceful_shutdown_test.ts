import { assertEquals, assertMatch } from "@std/assert";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import type { Handler } from "../../../../workbench/runs/queue/worker_options.ts";
import { runOverQueue, startRun } from "../../../../workbench/runs/queue/over_queue.ts";
import { orShutdown, Shutdown } from "../../../../workbench/runs/queue/graceful_shutdown.ts";
import { Worker } from "../../../../workbench/runs/queue/worker.ts";
import { natsServerPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { NatsServer } from "./nats_server.ts";
import { StandIn, standInCard } from "./stand_in_worker.ts";
import { until } from "../../../support/until.ts";

const NATS = needs("NATS server", natsServerPath());
const RUN = { kind: "note", common: null, groups: [{}], retries: 0, patience: 30_000 };
const TASKS = Array.from({ length: 4 }, (_, at) => ({ key: `${at}`, work: undefined }));
/** The ways in which a server stops to answer: connections are closed, or nothing comes any more. */
const WAYS = ["SIGKILL", "SIGSTOP"] as const;

/** Milliseconds for a server that does not answer. */
const PATIENCE = 500;

/** A handler that passes what it has when it is told to. */
class Gate {
  readonly #open = Promise.withResolvers<void>();
  isAtWork = false;

  readonly handler: Handler = async ({ pieces }, { ended }) => {
    this.isAtWork = true;
    await this.#open.promise;
    for (const { key: name } of pieces) ended({ name, status: "Pass", message: "" });
  };

  open(): void {
    this.#open.resolve();
  }
}

for (const way of WAYS) {
  Deno.test(
    `a worker and a run that are told to end, while ${way} keeps their server from answering, end all the same`,
    NATS,
    async () => {
      await using server = await NatsServer.start();
      const [queue, own] = [await Queue.open({ url: server.url }), await Queue.open({ url: server.url })];
      const drain = new AbortController(), stop = new AbortController(), gate = new Gate(), warned: string[] = [];
      const worker = new Worker({ queue, card: standInCard(), handlers: { note: gate.handler }, drain: drain.signal });
      using _shutdown = new Shutdown(queue, {
        signal: drain.signal,
        isAtWork: () => worker.isAtWork,
        patience: PATIENCE,
      });
      const drained = worker.run(), warn = (text: string) => void warned.push(text), { signal } = stop;
      await until("the worker is there", async () => (await own.keysOf("pumice_workers")).length > 0);
      const ran = orShutdown(own, { signal, warn, patience: PATIENCE }, async () => {
        return await runOverQueue(
          await startRun(own, RUN),
          TASKS,
          { groupOf: () => 0, size: 2, warn },
          { retries: 0, signal },
        );
      });
      await until("the worker works", () => gate.isAtWork);
      if (way === "SIGSTOP") server.freeze();
      else await server.stop(way);
      stop.abort();
      drain.abort();
      assertEquals(await ran, undefined);
      assertMatch(warned.at(-1)!, /^the queue's server does not answer, so what the queue has of the run stays there/);
      assertEquals([queue.left.aborted, worker.isAtWork], [false, true], "what runs is finished first");
      gate.open();
      await drained;
      assertEquals([queue.left.aborted, worker.hasLost], [true, true]);
      await Promise.all([queue.close(), own.close()]);
    },
  );
}

Deno.test("a run whose tasks cannot be queued, as the server is away, ends when it is told to", NATS, async () => {
  await using server = await NatsServer.start();
  const queue = await Queue.open({ url: server.url }), stop = new AbortController(), warned: string[] = [];
  await using _worker = new StandIn(queue, {});
  await until("the worker is there", async () => (await queue.keysOf("pumice_workers")).length > 0);
  const { signal } = stop, warn = (text: string) => void warned.push(text);
  const run = await startRun(queue, RUN);
  await server.stop("SIGKILL");
  const ran = orShutdown(queue, { signal, warn, patience: PATIENCE }, () => {
    return runOverQueue(run, TASKS, { groupOf: () => 0, size: 2, warn }, { retries: 0, signal });
  });
  stop.abort();
  assertEquals([await ran, warned.length], [undefined, 1]);
  await queue.close();
});
