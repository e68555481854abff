import { headers } from "@nats-io/transport-node";
import type { NextMsgRequest } from "@nats-io/jetstream";
import { VERSION } from "../../../../../workbench/runs/queue/card.ts";
import type { Queue } from "../../../../../workbench/runs/queue/connect.ts";
import { encode, type Requirements } from "../../../../../workbench/runs/queue/messages.ts";
import {
  consumerName,
  placeOf,
  resultsStream,
  resultSubject,
  RUNS,
  tasksStream,
  taskSubject,
} from "../../../../../workbench/runs/queue/names.ts";
import { type DeliveredTask, pullOne } from "../../../../../workbench/runs/queue/pull.ts";
import { QueueRun } from "../../../../../workbench/runs/queue/queue_run.ts";
import { isGone, isPassing } from "../../../../../workbench/runs/queue/trouble.ts";

/** Asks a server everything that workers and runs ask. Returns the answers, without names and times. */
export async function conversation(queue: Queue): Promise<unknown[]> {
  const groups: Requirements[] = [{}, { driver: "a" }],
    how = { version: VERSION, kind: "note", common: null, retries: 1 };
  const run = await QueueRun.start(queue, { ...how, groups, patience: 1000 });
  const said = [await tasksOf(queue, run.name), await resultsOf(queue, run.name), await bucketsOf(queue, run.name)];
  await run.end();
  return [...said, await afterEnd(queue, run.name)];
}

/** Tasks that are queued, given back, lost and acknowledged. */
async function tasksOf(queue: Queue, run: string): Promise<unknown[]> {
  const put = async (number: number, msgID: string) => {
    const subject = taskSubject({ run, group: 0, round: 0, number });
    return (await queue.js.publish(subject, encode(number), { msgID, headers: headers() })).duplicate ?? false;
  };
  const pull = async () => factsOf((await pullOne(queue, tasksStream(run), consumerName(0)))!);
  const counts = async (group: number) => {
    const info = await queue.manager.consumers.info(tasksStream(run), consumerName(group));
    return [info.num_pending, info.num_ack_pending];
  };
  const said: unknown[] = [await put(0, "a"), await put(0, "a"), await put(1, "b"), await counts(0), await counts(1)];
  const first = await pull();
  first.task.giveBack();
  const second = await pull(), again = await pull();
  await again.task.done();
  const lost = await pull(); // nobody acknowledged the second
  await lost.task.done();
  said.push(first.facts, ...[second, again, lost].map(({ facts }) => facts).sort());
  return [...said, await counts(0)];
}

function factsOf(task: DeliveredTask): { readonly task: DeliveredTask; readonly facts: string } {
  return { task, facts: `${placeOf(task.subject).number}: ${task.delivery}, ${new TextDecoder().decode(task.data)}` };
}

/** Results by subject, and in order. */
async function resultsOf(queue: Queue, run: string): Promise<unknown[]> {
  for (const [number, msgID] of [[0, "x"], [1, "y"], [0, "z"], [0, "z"]] as const) {
    const subject = resultSubject({ run, group: 0, round: 0, number });
    await queue.js.publish(subject, encode(msgID), { msgID, headers: headers() });
  }
  const next = async (seq: number, number?: number) => {
    const wish: NextMsgRequest & { seq: number } = { seq, next_by_subj: resultSubject({ run, round: 0, number }) };
    const message = await queue.manager.streams.getMessage(resultsStream(run), wish);
    return message && [message.seq, new TextDecoder().decode(message.data)];
  };
  const said: unknown[] = [await next(1, 0), await next(2, 0), await next(2), await next(3, 1), await next(4)];
  const reading = { filter_subjects: resultSubject({ run, round: 0 }), opt_start_seq: 2 };
  const consumer = await queue.js.consumers.get(resultsStream(run), reading), messages = await consumer.consume();
  for await (const message of messages) if (said.push([message.seq, placeOf(message.subject).number]) === 7) break;
  await messages.close();
  await consumer.delete();
  return said;
}

/** Keys and values, and large data. */
async function bucketsOf(queue: Queue, run: string): Promise<unknown[]> {
  const heard: unknown[] = [];
  const subscription = queue.connection.subscribe(`$KV.${RUNS}.>`, {
    callback: (_, { subject, headers }) => {
      heard.push([subject.split(".").at(-1), headers?.get("KV-Operation") ?? ""]);
    },
  });
  await queue.runs.put("one", encode(1));
  const said: unknown[] = [(await queue.runs.get("one"))?.operation, (await queue.runs.get("none"))?.operation];
  await queue.runs.purge("one");
  said.push((await queue.runs.get("one"))?.operation, await queue.keysOf(RUNS, "one"));
  subscription.unsubscribe();
  const objects = await queue.objectsOf(run);
  await objects.putBlob({ name: "data" }, encode("data"));
  const there = await queue.objectsThere(run), data = await there.getBlob("data");
  return [...said, ...heard, new TextDecoder().decode(data!), await there.getBlob("none")];
}

async function afterEnd(queue: Queue, run: string): Promise<unknown[]> {
  const next: NextMsgRequest & { seq: number } = { seq: 1, next_by_subj: resultSubject({ run }) };
  const requests = [
    () => pullOne(queue, tasksStream(run), consumerName(0)),
    () => queue.manager.streams.getMessage(resultsStream(run), next),
    () => queue.manager.consumers.info(tasksStream(run), consumerName(0)),
  ];
  const said: unknown[] = [];
  for (const request of requests) {
    said.push(await request().then(() => "there", (error) => [isPassing(error), isGone(error)]));
  }
  return said;
}
