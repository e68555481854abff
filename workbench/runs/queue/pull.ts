import type { Msg, MsgHdrs } from "@nats-io/transport-node";
import type { Queue } from "./connect.ts";
import { unless } from "./patience.ts";

/** Milliseconds for which an idle worker's request for a task stays with the server, and for the way there and back. */
const OPEN = 2000, SLACK = 3000;
/**
 * The places of the number of deliveries in an acknowledgement's subject, with and without the names of a domain and an
 * account.
 */
const LONG = 6, SHORT = 4, LEAST_OF_LONG = 11;

/** A task as the server delivered it. */
export class DeliveredTask {
  readonly #queue: Queue;
  readonly #message: Msg;

  constructor(queue: Queue, message: Msg) {
    [this.#queue, this.#message] = [queue, message];
  }

  /** The subject that the task was published on. */
  get subject(): string {
    return this.#message.subject;
  }

  /** The message. */
  get data(): Uint8Array {
    return this.#message.data;
  }

  /** The headers. */
  get headers(): MsgHdrs | undefined {
    return this.#message.headers;
  }

  /** The how-manieth delivery this is, from 1. */
  get delivery(): number {
    const words = this.#message.reply!.split(".");
    return Number(words[words.length >= LEAST_OF_LONG ? LONG : SHORT]);
  }

  /** Tells the server that the work goes on. */
  alive(): void {
    this.#say("+WPI");
  }

  /** Gives the task back, to be delivered after some milliseconds. */
  giveBack(after = 0): void {
    this.#say(`-NAK {"delay": ${after * 1e6}}`);
  }

  /** Acknowledges the task. Resolves when the server has the acknowledgement. */
  async done(): Promise<void> {
    await this.#queue.connection.request(this.#message.reply!, "+ACK", { timeout: SLACK });
  }

  #say(text: string): void {
    if (!this.#queue.connection.isClosed()) this.#queue.connection.publish(this.#message.reply!, text);
  }
}

/** The error of a consumer that has ended, or has too many waiting workers. */
export class ConsumerRefusal extends Error {
  /** The error's name. */
  override readonly name = "ConsumerRefusal";
}

/**
 * Asks a consumer for one task. Resolves with `undefined` if none has come in a while. Throws the client's error if the
 * server is away, and {@linkcode ConsumerRefusal}.
 */
export async function pullOne(queue: Queue, stream: string, consumer: string): Promise<DeliveredTask | undefined> {
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
  const wish = JSON.stringify({ batch: 1, expires: OPEN * 1e6 });
  // Without the shared subscription, which knows answers by their subject: a task arrives with its own subject.
  const answer = queue.connection.request(subject, wish, { timeout: OPEN + SLACK, noMux: true });
  const message = await unless(queue.left, answer); // such a request never settles once the connection is closed
  const status = message.headers?.code ?? 0;
  if (status === 0) return new DeliveredTask(queue, message);
  if (status === 404 || status === 408) return undefined;
  throw new ConsumerRefusal(`the consumer ${consumer} says ${status} ${message.headers?.description}`);
}
