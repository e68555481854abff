import type { NextMsgRequest } from "@nats-io/jetstream";
import type { Queue } from "./connect.ts";
import { decode, type ResultMessage } from "./messages.ts";
import { placeOf, resultsStream, resultSubject, type TaskPlace } from "./names.ts";
import { delay } from "./patience.ts";

/** Milliseconds without results after which the stream is asked for missed ones. */
const SILENCE = 5000;
/** The number of results that the server sends ahead, since they wait in memory. */
const AHEAD = 100;

/** Reads the results of a round in the order of the stream, from its beginning, until the signal. */
export class ResultsThere {
  readonly #queue: Queue;
  readonly #stream: string;
  readonly #subject: string;
  readonly #take: (place: TaskPlace, message: ResultMessage) => void;
  #last = 0;

  constructor(
    queue: Queue,
    { run, round }: Pick<TaskPlace, "run" | "round">,
    take: (place: TaskPlace, message: ResultMessage) => void,
  ) {
    [this.#queue, this.#stream, this.#take] = [queue, resultsStream(run), take];
    this.#subject = resultSubject({ run, round });
  }

  /** Reads until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#consume(signal);
      } catch {
        // the server is away; reading continues behind the last result
      }
      await delay(250, signal);
    }
  }

  async #consume(signal: AbortSignal): Promise<void> {
    const start = { opt_start_seq: this.#last + 1, inactive_threshold: 60_000 };
    const consumer = await this.#queue.js.consumers.get(this.#stream, { filter_subjects: this.#subject, ...start });
    const messages = await consumer.consume({ max_messages: AHEAD, expires: 10_000 }),
      stop = () => void messages.close();
    const watch = setInterval(() => void this.#hasMissed().then((has) => has && stop()), SILENCE);
    signal.addEventListener("abort", stop);
    try {
      if (signal.aborted) stop();
      for await (const message of messages) {
        this.#last = message.seq;
        this.#take(placeOf(message.subject), decode<ResultMessage>(message.data));
      }
    } finally {
      clearInterval(watch);
      signal.removeEventListener("abort", stop);
      await consumer.delete().catch(() => {});
    }
  }

  /** Whether the stream has had a result for some time that did not come. */
  async #hasMissed(): Promise<boolean> {
    const seq = this.#last + 1, next: NextMsgRequest & { seq: number } = { seq, next_by_subj: this.#subject };
    const message = await this.#queue.manager.streams.getMessage(this.#stream, next).catch(() => null);
    return message !== null && Date.now() - message.time.getTime() > SILENCE && this.#last + 1 === seq;
  }
}
