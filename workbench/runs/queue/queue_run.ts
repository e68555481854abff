import { AckPolicy, DiscardPolicy, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import { type Queue, RUN_LIFE } from "./connect.ts";
import { decode, encode, PROTOCOL, type RunRecord } from "./messages.ts";
import {
  consumerName,
  newName,
  objectsBucket,
  resultsStream,
  resultSubject,
  tasksStream,
  taskSubject,
} from "./names.ts";
import { persist } from "./patience.ts";
import type { RoundPlan } from "./plan.ts";
import type { Round } from "./round.ts";
import { RecordThere } from "./stored_runs.ts";
import { SIGNATURE, type TaskSigner } from "./signing.ts";
import { QueueTrouble } from "./trouble.ts";

/** A plan with the keys of its tasks. */
interface StoredPlan {
  readonly plan: RoundPlan;
  readonly keys: readonly string[];
}

/** The number of keys in one object: the client sends a whole object without waiting for the server. */
const PIECE = 2000;

/** Keeps a plan, and the keys of its tasks in pieces. */
async function writePlan(
  queue: Queue,
  run: string,
  { round, plan, keys }: { readonly round: number; readonly plan: RoundPlan; readonly keys: Iterable<string> },
): Promise<void> {
  const objects = await queue.objectsOf(run);
  const write = (name: string, value: unknown) => {
    return persist(() => objects.putBlob({ name }, encode(value)), { what: "the plan of a run" });
  };
  let pieces = 0;
  for (const piece of piecesOf(keys)) await write(nameOf(round, pieces++), piece);
  await write(nameOf(round), { plan, pieces } satisfies PlanObject);
}

/** Reads a plan. */
async function readPlan(queue: Queue, run: string, round: number): Promise<StoredPlan> {
  const objects = await queue.objectsOf(run), keys: string[] = [];
  const read = async <Value>(name: string): Promise<Value> => {
    const bytes = await persist(() => objects.getBlob(name), { what: "reading a run's plan" });
    if (bytes) return decode<Value>(bytes);
    throw new QueueTrouble(1, `The queue has lost the plan of the run ${run}: run it anew`);
  };
  const { plan, pieces } = await read<PlanObject>(nameOf(round));
  for (let piece = 0; piece < pieces; piece++) keys.push(...await read<string[]>(nameOf(round, piece)));
  return { plan, keys };
}

/** The part of a plan that is kept beside the keys. */
interface PlanObject {
  readonly plan: RoundPlan;
  readonly pieces: number;
}

function nameOf(round: number, piece?: number): string {
  return `round ${round}${piece === undefined ? "" : ` keys ${piece}`}`;
}

function* piecesOf(keys: Iterable<string>): Generator<string[]> {
  let piece: string[] = [];
  for (const key of keys) {
    piece.push(key);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

/** The number of tasks on the way to the server at a time. More are no faster, and their bytes take memory. */
const ON_THE_WAY = 16;
const NANOSECONDS = 1e6;

/** The parts of a run. */
export interface QueueRunOptions
  extends Pick<RunRecord, "version" | "kind" | "groups" | "common" | "retries" | "patience"> {
  /** Signs each task. */
  readonly seal?: TaskSigner;
}

/** A run in the queue: its record, its streams and its consumers. */
export class QueueRun {
  /** The run's name, for `--join`. */
  readonly name: string;
  /** The connection. */
  readonly queue: Queue;
  readonly #seal: TaskSigner | undefined;
  readonly #record: RecordThere;

  private constructor(queue: Queue, name: string, record: RecordThere, seal: TaskSigner | undefined) {
    [this.queue, this.name, this.#record, this.#seal] = [queue, name, record, seal];
  }

  /** Makes a run without tasks. */
  static async start(queue: Queue, { seal, ...options }: QueueRunOptions): Promise<QueueRun> {
    const name = newName(), record = { ...options, protocol: PROTOCOL, created: Date.now(), rounds: 0 };
    const run = new QueueRun(queue, name, new RecordThere(queue, name, record, seal), seal);
    try {
      await run.#makeStreams();
      await run.#record.put();
    } catch (error) {
      await run.end();
      throw error;
    }
    return run;
  }

  /** Finds a run that goes on. Throws {@linkcode QueueTrouble} for a run that does not, or that has another key. */
  static async join(queue: Queue, name: string, version: string, seal?: TaskSigner): Promise<QueueRun> {
    return new QueueRun(queue, name, await RecordThere.read(queue, name, version, seal), seal);
  }

  /** The queue's record of the run. */
  get record(): RunRecord {
    return this.#record.record;
  }

  /** Queues the tasks of a round. The plan is kept for machines that join the run. */
  async queueRound(round: number, plan: RoundPlan, tasks: Round, keys: Iterable<string>): Promise<void> {
    await writePlan(this.queue, this.name, { round, plan, keys });
    await this.publish(round, plan, tasks, plan.batches.keys());
    await this.#record.put({ rounds: round + 1 });
  }

  /** Returns the plan of a round that is in the queue. */
  plan(round: number): Promise<StoredPlan> {
    return readPlan(this.queue, this.name, round);
  }

  /** Sends batches. `again` tells repeated batches from those before. */
  async publish(round: number, plan: RoundPlan, tasks: Round, numbers: Iterable<number>, again = ""): Promise<void> {
    const left = numbers[Symbol.iterator]();
    const drain = async () => {
      for (let next = left.next(); !next.done; next = left.next()) {
        const number = next.value, { group } = plan.batches[number];
        const subject = taskSubject({ run: this.name, group, round, number });
        await this.#send(subject, encode(tasks.message(number)), `${subject}${again}`);
      }
    };
    await Promise.all(Array.from({ length: ON_THE_WAY }, drain));
  }

  /** Lets workers go on with a signed run until the end of the returned scope. */
  keepLease(): Disposable {
    return this.#record.keepLease();
  }

  /** Lets workers go on with the run, also a signed one, without this process. */
  leave(): Promise<void> {
    return this.#record.put({}, true);
  }

  /** Ends the run: the queue keeps nothing of the run, and workers leave their work for the run. */
  async end(): Promise<void> {
    const { manager } = this.queue, what = "removing a run", limit = 10_000;
    await this.#record.remove().catch(() => {});
    for (const stream of [tasksStream(this.name), resultsStream(this.name), `OBJ_${objectsBucket(this.name)}`]) {
      await persist(() => manager.streams.delete(stream), { what, limit }).catch(() => {});
    }
  }

  async #send(subject: string, bytes: Uint8Array, msgID: string): Promise<void> {
    const { js, largest } = this.queue, signed = headers();
    if (bytes.length > largest - 1024) {
      const advice = "raise its max_payload, or give a smaller --group-size";
      throw new QueueTrouble(1, `A task has ${bytes.length} bytes, and the queue's server takes ${largest}: ${advice}`);
    }
    if (this.#seal) signed.set(SIGNATURE, await this.#seal.sign(subject, bytes));
    await persist(() => js.publish(subject, bytes, { msgID, headers: signed }), { what: "the tasks of a run" });
  }

  async #makeStreams(): Promise<void> {
    const { streams, consumers } = this.queue.manager,
      { patience, groups } = this.record,
      what = "the streams of a run";
    const { replicas: num_replicas } = this.queue, max_age = RUN_LIFE * NANOSECONDS;
    const common = { storage: StorageType.File, discard: DiscardPolicy.New, max_age, num_replicas };
    const tasks = { name: tasksStream(this.name), subjects: [taskSubject({ run: this.name })], ...common };
    const results = { name: resultsStream(this.name), subjects: [resultSubject({ run: this.name })], ...common };
    await persist(() => streams.add({ ...tasks, retention: RetentionPolicy.Workqueue }), { what });
    await persist(() => streams.add({ ...results, retention: RetentionPolicy.Limits }), { what });
    for (const group of groups.keys()) {
      await persist(() =>
        consumers.add(tasks.name, {
          durable_name: consumerName(group),
          filter_subject: taskSubject({ run: this.name, group }),
          ack_policy: AckPolicy.Explicit,
          ack_wait: patience * NANOSECONDS,
          max_ack_pending: 65_536,
          max_waiting: 65_536,
        }), { what });
    }
  }
}
