import type { Queue } from "./connect.ts";
import { atMost, delay } from "./patience.ts";

/** The time for which a program that was told to end waits for a server that does not answer, in milliseconds. */
export const SHUTDOWN = 5000;
/** Milliseconds between two questions to the server, and for an answer. */
const LOOK = 250, ANSWER = 1000;

/** The work that is left for a program that was told to end. */
export interface ShutdownOptions {
  /** Tells the program to end. */
  readonly signal: AbortSignal;
  /** Tells the program to end at once: a server that does not answer then gets no more time. */
  readonly hurry?: AbortSignal;
  /** Whether work goes on that needs no server. Default: there is none. */
  readonly isAtWork?: () => boolean;
  /** Milliseconds for a server that does not answer. Default: {@linkcode SHUTDOWN}. */
  readonly patience?: number;
}

/**
 * The end of a program that was told to end. While its work goes on and the server answers, there is no limit; a server
 * that does not answer gets {@linkcode SHUTDOWN}. Then the connection is closed, so that requests that wait for the
 * server fail.
 */
export class Shutdown implements Disposable {
  readonly #queue: Queue;
  readonly #options: ShutdownOptions;
  readonly #over = new AbortController();
  readonly #begin = () => void this.#watch();
  #isAway = false;

  /** Begins when the signal comes. */
  constructor(queue: Queue, options: ShutdownOptions) {
    [this.#queue, this.#options] = [queue, options];
    if (options.signal.aborted) this.#begin();
    else options.signal.addEventListener("abort", this.#begin, { once: true });
  }

  /** Whether the server did not answer, so that the connection was closed. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Ends the watch. The connection stays as it is. */
  [Symbol.dispose](): void {
    this.#options.signal.removeEventListener("abort", this.#begin);
    this.#over.abort();
  }

  async #watch(): Promise<void> {
    const { signal: over } = this.#over, { isAtWork, hurry, patience = SHUTDOWN } = this.#options;
    for (let last = performance.now(); !over.aborted; await delay(LOOK, over)) {
      if (isAtWork?.() || await answers(this.#queue)) last = performance.now();
      else if (hurry?.aborted || performance.now() - last > patience) return await this.#leave();
    }
  }

  async #leave(): Promise<void> {
    if (this.#over.signal.aborted) return;
    this.#isAway = true;
    await this.#queue.leave();
  }
}

/** The reason that stops a run, and the words about it for people. */
export interface Stopping {
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Takes sentences for people. */
  readonly warn: (text: string) => void;
  /** Milliseconds for a server that does not answer. Default: {@linkcode SHUTDOWN}. */
  readonly patience?: number;
}

/**
 * Does the work that Ctrl-C stops. Resolves with `undefined` if the server did not answer after that: `warn` gets a
 * sentence about what stays in the queue.
 */
export async function orShutdown<Value>(
  queue: Queue,
  { signal, warn, patience }: Stopping,
  run: () => Promise<Value>,
): Promise<Value | undefined> {
  using shutdown = new Shutdown(queue, { signal, patience });
  let value: Value | undefined;
  try {
    value = await run();
  } catch (error) {
    if (!shutdown.isAway) throw error;
  }
  if (!shutdown.isAway) return value;
  warn(
    "the queue's server does not answer, so what the queue has of the run stays there: " +
      "end the run by joining it with --join and Ctrl-C, or leave it to the server, which forgets it after seven days",
  );
  return undefined;
}

async function answers({ connection }: Queue): Promise<boolean> {
  let is = false;
  await atMost(ANSWER, connection.rtt().then(() => is = true, () => {}));
  return is;
}
