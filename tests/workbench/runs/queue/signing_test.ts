import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { headers } from "@nats-io/transport-node";
import { Objm } from "@nats-io/obj";
import {
  readCheckingKey,
  readSigningKey,
  SIGNATURE,
  type TaskChecker,
  type TaskSigner,
} from "../../../../workbench/runs/queue/signing.ts";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import type { Handlers } from "../../../../workbench/runs/queue/worker_options.ts";
import { decode, encode, type RunRecord, type TaskMessage } from "../../../../workbench/runs/queue/messages.ts";
import { objectsBucket, tasksStream, taskSubject } from "../../../../workbench/runs/queue/names.ts";
import { collect } from "../../../../workbench/runs/queue/executor.ts";
import { runOverQueue, startRun } from "../../../../workbench/runs/queue/over_queue.ts";
import type { QueueRun } from "../../../../workbench/runs/queue/queue_run.ts";
import { Round } from "../../../../workbench/runs/queue/round.ts";
import { RunStore } from "../../../../workbench/runs/queue/stores.ts";
import { bundleName, TEST, testHandler } from "../../../../workbench/runs/queue/test_handler.ts";
import { QueueTrouble } from "../../../../workbench/runs/queue/trouble.ts";
import { hashOf } from "../../../../workbench/runs/test/archive.ts";
import { natsServerPath, opensslPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { run as runCommand } from "../../../support/subprocess.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { pair, withKeys } from "./keys.ts";
import { NatsServer } from "./nats_server.ts";
import { StandIn, standInCard } from "./stand_in_worker.ts";

const OPENSSL = needs("OpenSSL", opensslPath());
const NATS = { ignore: OPENSSL.ignore || needs("NATS server", natsServerPath()).ignore };

Deno.test(
  "a key of openssl signs a message for one subject, which its public key confirms",
  OPENSSL,
  () =>
    withKeys(async ({ signer, checker }, folder) => {
      const message = encode({ a: 1 }), signature = await signer.sign("pumice.task.a", message);
      assertEquals(signer.id, checker.id);
      assertEquals(await checker.isGood("pumice.task.a", message, signature), true);
      const other = await readCheckingKey(pair(folder, "other").pub);
      const wrong = [
        checker.isGood("pumice.task.b", message, signature),
        checker.isGood("pumice.task.a", encode({ a: 2 }), signature),
        checker.isGood("pumice.task.a", message, ""),
        checker.isGood("pumice.task.a", message, "no base64!"),
        checker.isGood("pumice.task.a", message, new Uint8Array(64).toBase64()),
        other.isGood("pumice.task.a", message, signature),
      ];
      assertEquals(await Promise.all(wrong), wrong.map(() => false));
    }),
);

Deno.test(
  "a file that is not the right key is a sentence with what to do",
  OPENSSL,
  () =>
    withFolderAsync(async (folder) => {
      const { key, pub } = pair(folder, "run"), rsa = `${folder}/rsa.key`, text = `${folder}/text`;
      runCommand("openssl", ["genpkey", "-algorithm", "rsa", "-out", rsa]);
      Deno.writeTextFileSync(text, "no key\n");
      const rows: [() => Promise<unknown>, string][] = [
        [() => readSigningKey(`${folder}/none`), 'none" is not there'],
        [() => readSigningKey(text), "has no key in PEM; make a pair with `openssl genpkey -algorithm ed25519"],
        [() => readSigningKey(rsa), "has no key of Ed25519"],
        [() => readSigningKey(pub), "has a public key, and a run signs with the private one"],
        [() => readCheckingKey(key), "has the private key, with which whoever reads it can sign tasks"],
      ];
      for (const [read, words] of rows) await assertRejects(read, QueueTrouble, words);
    }),
);

/** A handler that notes what it is asked to execute. */
function noting(executed: string[]): Handlers {
  return {
    note: ({ pieces, common }, { ended }) => {
      for (const { key } of pieces) {
        executed.push(`${key}: ${common}`);
        ended({ name: key, status: "Pass", message: "" });
      }
      return Promise.resolve();
    },
  };
}

const TASKS = ["a", "b"].map((key) => ({ key, work: { of: key } }));
const RULES = { retries: 0 }, HOW = { groupOf: () => 0, size: 1, warn() {} };

/** Queues a run that nobody has begun to execute. */
async function queued(queue: Queue, seal: TaskSigner | undefined, tasks = TASKS, kind = "note"): Promise<QueueRun> {
  const card = standInCard();
  await queue.workers.put(card.worker, encode(card));
  const run = await startRun(queue, {
    kind,
    common: "original",
    groups: [{ driver: "stand-in" }],
    retries: 0,
    patience: 30_000,
    seal,
  });
  await runOverQueue(run, tasks, { ...HOW, isLeft: true }, RULES);
  await queue.workers.purge(card.worker);
  return run;
}

/** Lets a worker with a key execute a run, and touches nothing else of the run. Returns the results as texts. */
async function executed(queue: Queue, run: QueueRun, seal: TaskChecker, handlers: Handlers): Promise<string[]> {
  await using _worker = new StandIn(queue, handlers, {}, { seal });
  const { plan, keys } = await run.plan(0), results = new Map<string, string>(), { signal } = new AbortController();
  const round = new Round(plan, (task) => ({ key: keys[task] }), {
    ended: ({ name, status, message }) => results.set(name, `${name} ${status} ${message}`),
  });
  await collect(0, { plan, round, run, signal, warn() {} });
  await run.end();
  return keys.map((key) => results.get(key)!);
}

/** The result of an attack by someone who can write to the queue, between the run and the worker. */
async function attacked(attack: (queue: Queue, run: QueueRun, signer: TaskSigner) => Promise<void>): Promise<{
  readonly results: readonly string[];
  readonly done: readonly string[];
}> {
  const done: string[] = [];
  let results: string[] = [];
  await withKeys(async ({ signer, checker }) => {
    await using server = await NatsServer.start();
    const queue = await Queue.open({ url: server.url });
    try {
      const run = await queued(queue, signer);
      await attack(queue, run, signer);
      results = await executed(queue, run, checker, noting(done));
    } finally {
      await queue.close();
    }
  });
  return { results, done: done.sort() };
}

/** Exchanges the message of a task. */
async function exchange(queue: Queue, run: string, key: string, by: (task: Stored) => Stored): Promise<void> {
  for (let seq = 1; seq <= 2; seq++) {
    const stored = await queue.manager.streams.getMessage(tasksStream(run), { seq });
    const task = { subject: stored!.subject, data: stored!.data, signature: stored!.header.get(SIGNATURE) };
    if (decode<TaskMessage>(task.data).keys[0] !== key) continue;
    await queue.manager.streams.deleteMessage(tasksStream(run), seq);
    const { subject, data, signature } = by(task), signed = headers();
    if (signature !== "") signed.set(SIGNATURE, signature);
    await queue.js.publish(subject, data, { headers: signed });
  }
}

interface Stored {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly signature: string;
}

const REFUSED = /^a InternalError the task is not signed by the key of the worker on .*: --key of the run has to be/;

Deno.test("a worker with a key executes the tasks that the run's key signed", NATS, async () => {
  const { results, done } = await attacked(() => Promise.resolve());
  assertEquals([results, done], [["a Pass ", "b Pass "], ["a: original", "b: original"]]);
});

Deno.test(
  "a worker with a key refuses a task that was changed, or has no signature, and executes the others",
  NATS,
  async () => {
    const changes: ((task: Stored) => Stored)[] = [
      (task) => ({ ...task, data: encode({ keys: ["a"], work: ["evil"] }) }),
      (task) => ({ ...task, signature: "" }),
    ];
    for (const change of changes) {
      const { results, done } = await attacked((queue, { name }) => exchange(queue, name, "a", change));
      assertMatch(results[0], REFUSED);
      assertEquals([results[1], done], ["b Pass ", ["b: original"]]);
    }
  },
);

Deno.test("a worker with a key refuses a task of another run that is queued again in this one", NATS, async () => {
  const { results, done } = await attacked(async (queue, { name }, signer) => {
    const other = await queued(queue, signer, [{ key: "a", work: { of: "another run" } }]);
    const from = await queue.manager.streams.getMessage(tasksStream(other.name), { seq: 1 });
    const signature = from!.header.get(SIGNATURE), { data } = from!;
    await exchange(queue, name, "a", (task) => ({ ...task, data, signature }));
    await other.end();
  });
  assertMatch(results[0], REFUSED);
  assertEquals([results[1], done], ["b Pass ", ["b: original"]]);
});

Deno.test("a worker with a key executes no task of the run again in another place of it", NATS, async () => {
  const { results, done } = await attacked(async (queue, { name }) => {
    const from = await queue.manager.streams.getMessage(tasksStream(name), { seq: 1 }), signed = headers();
    signed.set(SIGNATURE, from!.header.get(SIGNATURE));
    const subject = taskSubject({ run: name, group: 0, round: 5, number: 0 });
    await queue.js.publish(subject, from!.data, { headers: signed });
  });
  assertEquals([results, done], [["a Pass ", "b Pass "], ["a: original", "b: original"]]);
});

Deno.test("a worker with a key refuses a run whose record was changed, or is too old", NATS, async () => {
  const records: [(record: RunRecord) => RunRecord, string][] = [
    [(record) => ({ ...record, common: "evil" }), "the run is not signed by the key of the worker on "],
    [(record) => ({ ...record, kind: "evil" }), "the run is not signed by the key of the worker on "],
    [(record) => ({ ...record, created: 0 }), "the run is not signed by the key of the worker on "],
    [({ signature: _, ...record }) => record, "the run is not signed by the key of the worker on "],
  ];
  for (const [change, words] of records) {
    const { results, done } = await attacked(async (queue, { name, record }) => {
      await queue.runs.put(name, encode(change(record)));
    });
    assertEquals(done, []);
    for (const result of results) assertStringIncludes(result, `InternalError ${words}`);
  }
});

Deno.test(
  "a worker takes no bundle that was exchanged in the store",
  NATS,
  () =>
    withKeys(async ({ signer, checker }, folder) => {
      await using server = await NatsServer.start();
      const queue = await Queue.open({ url: server.url });
      try {
        const hash = await hashOf(new Uint8Array([1, 2, 3]));
        const place = { file: "a.ts", test: "a test", driver: "stand-in" };
        const test = { name: "a test", file: "file:///a.ts", options: {} };
        const run = await queued(queue, signer, [{ key: "a", work: { place, test, bundle: hash } as never }], TEST);
        await new RunStore(queue, run.name).put(bundleName(hash), new TextEncoder().encode("evil"));
        const results = await executed(queue, run, checker, { [TEST]: testHandler(folder) });
        assertMatch(
          results.join(),
          /^a InternalError the test cannot be run: the bundle [0-9a-f]{12}… was exchanged: /,
        );
        await assertRejects(() => new Objm(queue.js).open(objectsBucket(run.name)), Error);
      } finally {
        await queue.close();
      }
    }),
);

Deno.test(
  "a run that the workers' key has not signed is refused before anything is queued",
  NATS,
  () =>
    withKeys(async ({ checker }, folder) => {
      await using server = await NatsServer.start();
      const queue = await Queue.open({ url: server.url });
      const other = await readSigningKey(pair(folder, "other").key);
      try {
        await using _worker = new StandIn(queue, noting([]), { key: checker.id }, { seal: checker });
        const start = (seal?: TaskSigner) =>
          startRun(queue, { kind: "note", common: null, groups: [{}], retries: 0, patience: 30_000, seal });
        while (await start().then(() => "", ({ message }) => message).then((each) => each.includes("No worker"))) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        await assertRejects(() => start(), QueueTrouble, "give the private one with --key=FILE");
        await assertRejects(() => start(other), QueueTrouble, "and --key is another one");
      } finally {
        await queue.close();
      }
    }),
);
