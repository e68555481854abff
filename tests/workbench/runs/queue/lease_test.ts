import { assertEquals, assertRejects } from "@std/assert";
import { AckPolicy, RetentionPolicy } from "@nats-io/jetstream";
import type { Msg } from "@nats-io/transport-node";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import type { Handler } from "../../../../workbench/runs/queue/worker_options.ts";
import { LEASE, recordBytes, recordSubject, type TaskSigner } from "../../../../workbench/runs/queue/signing.ts";
import { encode, type RunRecord } from "../../../../workbench/runs/queue/messages.ts";
import {
  consumerName,
  resultsStream,
  resultSubject,
  tasksStream,
  taskSubject,
} from "../../../../workbench/runs/queue/names.ts";
import { joinRun, runOverQueue, startRun } from "../../../../workbench/runs/queue/over_queue.ts";
import type { QueueRun } from "../../../../workbench/runs/queue/queue_run.ts";
import { QueueTrouble } from "../../../../workbench/runs/queue/trouble.ts";
import { natsServerPath, opensslPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { type Keys, keysIn, withKeys } from "./keys.ts";
import { NatsServer } from "./nats_server.ts";
import { StandIn, standInCard } from "./stand_in_worker.ts";
import { until } from "../../../support/until.ts";

const NATS = { ignore: needs("NATS server", natsServerPath()).ignore || needs("OpenSSL", opensslPath()).ignore };
const HOW = { groupOf: () => 0, size: 1, warn() {} }, RULES = { retries: 0 };
const LATER = { now: () => Date.now() + LEASE + 1000 };

function withQueue(use: (queue: Queue, keys: Keys, folder: string) => Promise<void>): Promise<void> {
  return withKeys(async (keys, folder) => {
    await using server = await NatsServer.start();
    const queue = await Queue.open({ url: server.url });
    try {
      await use(queue, keys, folder);
    } finally {
      await queue.close();
    }
  });
}

/** A handler that notes what it executes. */
function noting(executed: string[]): Handler {
  return ({ pieces }, { ended }) => {
    for (const { key: name } of pieces) {
      executed.push(name);
      ended({ name, status: "Pass", message: "" });
    }
    return Promise.resolve();
  };
}

/** Starts a run of one task, for a worker that need not be there. */
async function started(queue: Queue, seal: TaskSigner): Promise<QueueRun> {
  const card = standInCard();
  await queue.workers.put(card.worker, encode(card));
  const run = await startRun(queue, { kind: "note", common: null, groups: [{}], retries: 0, patience: 30_000, seal });
  await queue.workers.purge(card.worker);
  return run;
}

async function execute(run: QueueRun, key: string, isLeft = false): Promise<string[] | undefined> {
  const outcome = await runOverQueue(run, [{ key, work: undefined }], { ...HOW, isLeft }, RULES);
  return outcome?.results.map(({ name, status }) => `${name} ${status}`);
}

/** A copy of a run by someone who may read and write the queue, to be queued again. */
class Copy {
  readonly #name: string;
  readonly #records: Msg[] = [];
  readonly #tasks: Msg[] = [];

  constructor({ connection }: Queue, name: string) {
    this.#name = name;
    for (
      const [subject, all] of [[`$KV.pumice_runs.${name}`, this.#records], [
        `pumice.task.${name}.>`,
        this.#tasks,
      ]] as const
    ) {
      connection.subscribe(subject, { callback: (_, message) => void all.push(message) });
    }
  }

  async queueAgain({ manager, js }: Queue): Promise<void> {
    const run = this.#name, tasks = { name: tasksStream(run), subjects: [taskSubject({ run })] };
    await manager.streams.add({ ...tasks, retention: RetentionPolicy.Workqueue });
    await manager.streams.add({ name: resultsStream(run), subjects: [resultSubject({ run })] });
    await manager.consumers.add(tasks.name, { durable_name: consumerName(0), ack_policy: AckPolicy.Explicit });
    const record = this.#records.findLast(({ headers }) => !headers?.has("KV-Operation"))!;
    for (const { subject, data, headers } of [...this.#tasks.splice(0), record]) {
      await js.publish(subject, data, { headers });
    }
  }
}

Deno.test(
  "a signed run that is queued again as a whole, after its end, is executed by no worker that could know",
  NATS,
  () =>
    withQueue(async (queue, { signer, checker: seal }) => {
      const there: string[] = [], later: string[] = [], soon: string[] = [], told: string[] = [];
      {
        await using _there = new StandIn(queue, { note: noting(there) }, {}, { seal });
        const run = await started(queue, signer), copy = new Copy(queue, run.name);
        assertEquals(await execute(run, "first"), ["first Pass"]);
        await copy.queueAgain(queue);
        await using _later = new StandIn(queue, { note: noting(later) }, {}, {
          seal,
          ...LATER,
          tell: (text) => told.push(text),
        });
        await until(
          "the new worker has looked at the run",
          () => told.some((text) => text.includes(`the run ${run.name} waits`)),
        );
        assertEquals(await execute(await started(queue, signer), "second"), ["second Pass"]);
        assertEquals([there, later], [["first", "second"], []]);
      }
      await using _soon = new StandIn(queue, { note: noting(soon) }, {}, { seal });
      await until("a worker that was started within the lease executes the copy", () => soon.length > 0);
      assertEquals(soon, ["first"]);
    }),
);

Deno.test(
  "a signed run whose lease has ended waits, and goes on when it is joined with its key",
  NATS,
  () =>
    withQueue(async (queue, { signer, checker: seal }) => {
      const run = await started(queue, signer), told: string[] = [], executed: string[] = [];
      await execute(run, "first", true);
      const old: RunRecord = { ...run.record, until: Date.now() - 1 };
      const signature = await signer.sign(recordSubject(run.name), recordBytes(old));
      await queue.runs.put(run.name, encode({ ...old, signature }));
      await using _worker = new StandIn(queue, { note: noting(executed) }, {}, {
        seal,
        tell: (text) => told.push(text),
      });
      await until("the worker says why it waits", () => told.some((text) => text.includes("join it with --join")));
      assertEquals(executed, []);
      assertEquals(await execute(await joinRun(queue, run.name, signer), "first"), ["first Pass"]);
      assertEquals(executed, ["first"]);
    }),
);

Deno.test(
  "a signed run is joined with its key alone, and not if its record was changed",
  NATS,
  () =>
    withQueue(async (queue, { signer }, folder) => {
      const { name, record } = await started(queue, signer), { signer: other } = await keysIn(folder, "other");
      await assertRejects(() => joinRun(queue, name), QueueTrouble, "is signed: give its private key with --key=FILE");
      await assertRejects(
        () => joinRun(queue, name, other),
        QueueTrouble,
        "the key is another one, or the record was changed",
      );
      await queue.runs.put(name, encode({ ...record, common: "evil" }));
      await assertRejects(() => joinRun(queue, name, signer), QueueTrouble, "the record was changed in the queue");
    }),
);
