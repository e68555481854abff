import type { RunVerdict } from "../deqp/run_tasks.ts";
import type { Batch, Delivery } from "./worker_options.ts";
import {
  decode,
  encode,
  type PieceVerdict,
  type ProgressMessage,
  readResult,
  type ResultMessage,
  type RunRecord,
  type TaskMessage,
} from "./messages.ts";
import { progressSubject, resultsStream, resultSubject, type TaskPlace } from "./names.ts";
import { Reporter } from "./reporter.ts";
import { RunStore } from "./stores.ts";
import { recordBytes, recordSubject, SIGNATURE } from "./signing.ts";
import { driverFor } from "./workers.ts";
import type { NextMsgRequest } from "@nats-io/jetstream";
import type { Queue } from "./connect.ts";
import { persist } from "./patience.ts";
import { isGone } from "./trouble.ts";

/** The queue's knowledge about the pieces of a task. */
interface StoredVerdicts {
  /** The pieces that have a verdict. */
  readonly settled: ReadonlySet<number>;
  /** The number of workers that have begun a piece alone without a verdict, by piece. */
  readonly lost: ReadonlyMap<number, number>;
}

/** Reads the verdicts that earlier deliveries of a task have left. */
async function storedVerdicts(queue: Queue, place: TaskPlace, signal: AbortSignal): Promise<StoredVerdicts> {
  const settled = new Set<number>(), begun = new Map<number, Set<string>>();
  for await (const message of storedMessages(queue, place, signal)) {
    const { verdicts, begun: piece, left, worker, delivery } = message, who = `${worker} ${delivery}`;
    for (const [index] of verdicts) settled.add(index);
    if (piece !== undefined) begun.set(piece, (begun.get(piece) ?? new Set()).add(who));
    if (left !== undefined) begun.get(left)?.delete(who);
  }
  for (const index of settled) begun.delete(index);
  return { settled, lost: new Map(begun.entries().map(([index, workers]) => [index, workers.size])) };
}

async function* storedMessages(queue: Queue, place: TaskPlace, signal: AbortSignal): AsyncGenerator<ResultMessage> {
  const stream = resultsStream(place.run), subject = resultSubject(place), what = "reading the results of a task";
  for (let seq = 1;;) {
    const next: NextMsgRequest & { seq: number } = { seq, next_by_subj: subject };
    const message = await persist(() => queue.manager.streams.getMessage(stream, next), { what, signal }).catch(
      (error) => {
        if (isGone(error.cause)) return null;
        throw error;
      },
    );
    if (!message) return;
    const result = readResult(message.data);
    if (result) yield result;
    seq = message.seq + 1;
  }
}

/** Returns the reason why a worker with a key does not execute a task of a run; `undefined` if the worker may. */
async function refusalOf(
  { seal, message, place, driver, card }: Delivery,
  record: RunRecord,
): Promise<string | undefined> {
  if (!seal) return undefined;
  const signature = message.headers?.get(SIGNATURE) ?? "", by = `by the key of the worker on ${card.host}`;
  if (!await seal.isGood(message.subject, message.data, signature)) {
    return `the task is not signed ${by}: --key of the run has to be the private key of the worker's`;
  }
  if (!await seal.isGood(recordSubject(place.run), recordBytes(record), record.signature ?? "")) {
    return `the run is not signed ${by}: its record was changed in the queue`;
  }
  const group = record.groups[place.group];
  return group && driverFor(group, card, [driver]) ? undefined : "the task is not for the driver of this worker";
}

/** Milliseconds between two messages about a worker's work. */
const NEWS = 100;
/** The number of signs of life in the time after which the task is given away. */
const SIGNS = 4;

/** The end of a task, which is on its way to the server. */
export interface Acknowledgement {
  /** Resolves when the server has the end, or could not be reached. */
  readonly done: Promise<void>;
}

/** One worker's work on one task. */
export class Performance {
  readonly #delivery: Delivery;
  readonly #task: TaskMessage;
  /** The record at the time of the delivery: the queue may exchange it meanwhile. */
  readonly #record: RunRecord;
  readonly #signal: AbortSignal;
  readonly #open: Map<string, number>;
  readonly #count: number;
  /** The piece that runs alone. */
  #alone: number | undefined;
  #news = -Infinity;

  constructor(delivery: Delivery) {
    this.#delivery = delivery;
    const { message, run, stop, queue } = delivery;
    [this.#task, this.#record] = [decode<TaskMessage>(message.data), run.record];
    this.#count = message.delivery;
    this.#open = new Map(this.#task.keys.map((key, index) => [key, index]));
    this.#signal = AbortSignal.any([run.end.signal, queue.left, ...stop ? [stop] : []]);
  }

  /**
   * Executes the task and stores the verdicts. Returns the acknowledgement of the task, which the next task need not
   * wait for. A task that was stopped goes to another worker.
   */
  async perform(): Promise<Acknowledgement> {
    const { message, stop } = this.#delivery;
    const alive = setInterval(() => message.alive(), this.#record.patience / SIGNS);
    try {
      const reporter = this.#reporter();
      await this.#leaveOutSettled(reporter);
      await this.#execute(reporter);
      if (stop?.aborted) return await this.#giveBack(reporter);
      await reporter.flush();
      return { done: this.#acknowledge() };
    } finally {
      clearInterval(alive);
    }
  }

  #reporter(): Reporter {
    const { queue, place, card, runs, run } = this.#delivery, { host, worker } = card;
    return new Reporter({
      queue,
      subject: resultSubject(place),
      worker: `${host}-${worker}`,
      delivery: this.#count,
      isCareful: this.#count > 1,
      signal: AbortSignal.any([run.end.signal, queue.left]),
      isOver: () => runs.isOver(place.run),
    });
  }

  async #giveBack(reporter: Reporter): Promise<Acknowledgement> {
    if (this.#alone !== undefined) await reporter.leave(this.#alone);
    this.#delivery.message.giveBack();
    return { done: Promise.resolve() };
  }

  /** Leaves out pieces with a verdict, and gives up pieces over which too many workers were lost. */
  async #leaveOutSettled(reporter: Reporter): Promise<void> {
    if (this.#count === 1) return;
    const { queue, place } = this.#delivery, { keys } = this.#task;
    const { settled, lost } = await storedVerdicts(queue, place, this.#signal);
    for (const index of settled) this.#open.delete(keys[index]);
    for (const [index, workers] of lost) {
      if (workers <= this.#record.retries) continue;
      const message = `lost ${workers} ${workers === 1 ? "worker" : "workers"}`;
      this.#end({ name: keys[index], status: "Missing", message, isFinal: true }, reporter);
    }
  }

  async #execute(reporter: Reporter): Promise<void> {
    if (this.#open.size === 0) return;
    const refusal = await refusalOf(this.#delivery, this.#record), all = () => [...this.#open.keys()];
    if (refusal !== undefined) {
      this.#delivery.tell?.(`${this.#delivery.message.subject} was refused: ${refusal}`);
      return this.#endAll(all(), refusal, reporter);
    }
    if (this.#count > 1 || this.#open.size === 1) await this.#handleAlone(all()[0], reporter);
    await this.#handle(all(), reporter);
  }

  /**
   * Executes a piece alone, so that a loss of the worker counts over this piece. The first piece after a loss is the
   * likeliest cause; a loss does not count over pieces that a lost worker only held.
   */
  async #handleAlone(key: string, reporter: Reporter): Promise<void> {
    this.#alone = this.#open.get(key)!;
    await reporter.begin(this.#alone);
    await this.#handle([key], reporter);
    if (this.#open.has(key)) return; // stopped
    this.#alone = undefined;
    await reporter.flush();
  }

  /** Executes pieces. Each has a verdict then, unless the work was stopped. */
  async #handle(keys: readonly string[], reporter: Reporter): Promise<void> {
    if (keys.length === 0 || this.#signal.aborted) return;
    this.#endAll(keys, await this.#whyNot(keys, reporter), reporter);
  }

  /** Returns why pieces have no verdict, if the handler knows. */
  async #whyNot(keys: readonly string[], reporter: Reporter): Promise<string | undefined> {
    const { handlers, run: { name: run }, driver, card, queue, work: here } = this.#delivery, { work } = this.#task;
    const { kind, common } = this.#record, handler = Object.hasOwn(handlers, kind) ? handlers[kind] : undefined;
    if (!handler) return `the worker on ${card.host} cannot run tasks of the kind ${kind}`;
    const pieces = keys.map((key) => ({ key, work: work?.[this.#open.get(key)!] }));
    const store = new RunStore(queue, run, here), signal = this.#signal;
    const batch: Batch = { run, common, pieces, driver, drivers: card.drivers, store, signal };
    try {
      const ended = (verdict: RunVerdict) => this.#end(verdict, reporter);
      await here.during(() => handler(batch, { started: (key) => this.#tell(key), ended }));
    } catch (error) {
      return `the worker on ${card.host} failed: ${(error as Error).message}`;
    }
  }

  /** Ends the pieces that have no verdict. */
  #endAll(keys: readonly string[], why: string | undefined, reporter: Reporter): void {
    if (this.#signal.aborted) return;
    const status = why === undefined ? "Missing" : "InternalError", message = why ?? "nothing was said of it";
    for (const name of keys) this.#end({ name, status, message }, reporter);
  }

  #end({ name, status, message, seconds, details, isFinal }: RunVerdict, reporter: Reporter): void {
    const index = this.#open.get(name);
    if (index === undefined || this.#signal.aborted) return;
    this.#open.delete(name);
    const all = [index, status, message, seconds ?? null, details ?? null, isFinal ? 1 : null] as const;
    reporter.add(all.slice(0, 1 + all.findLastIndex((each) => each !== null)) as unknown as PieceVerdict);
  }

  #tell(key: string): void {
    const { queue, place, card } = this.#delivery, now = performance.now();
    if (now - this.#news < NEWS || queue.connection.isClosed()) return;
    this.#news = now;
    const news: ProgressMessage = { worker: `${card.host}-${card.worker}`, key };
    queue.connection.publish(progressSubject(place.run), encode(news));
  }

  /** If this fails, the next worker finds that all pieces have verdicts. */
  async #acknowledge(): Promise<void> {
    const { message, run } = this.#delivery;
    for (let attempt = 0; attempt < 3 && !run.end.signal.aborted; attempt++) {
      if (await message.done().then(() => true, () => false)) return;
    }
  }
}
