import { headers } from "@nats-io/transport-node";
import type { Queue } from "./connect.ts";
import { encode, type PieceVerdict, type ResultMessage } from "./messages.ts";
import { persist } from "./patience.ts";
import { isPassing } from "./trouble.ts";

/** The number of verdicts, and the milliseconds, after which verdicts are sent together. */
const MOST = 500, LONGEST = 100;

/** The destination of verdicts, and the worker that sends them. */
export interface ReportPlace {
  readonly queue: Queue;
  readonly subject: string;
  readonly worker: string;
  /** The number of this delivery of the task. */
  readonly delivery: number;
  /** Whether verdicts are sent as soon as the last ones are stored: for a task whose worker was lost before. */
  readonly isCareful: boolean;
  /** Ends the reports: the run is over. */
  readonly signal: AbortSignal;
  /** Looks whether the run is over although no signal has come yet. */
  readonly isOver: () => Promise<boolean>;
}

/** Stores the verdicts of a task's pieces, several in a message. */
export class Reporter {
  readonly #place: ReportPlace;
  #pending: PieceVerdict[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #messages = 0;
  #sent: Promise<void> = Promise.resolve();
  #error: unknown;

  constructor(place: ReportPlace) {
    this.#place = place;
  }

  /** Takes a verdict, which is sent soon. */
  add(verdict: PieceVerdict): void {
    this.#pending.push(verdict);
    if (this.#pending.length >= MOST) this.#send();
    else if (!this.#place.isCareful) this.#timer ??= setTimeout(() => this.#send(), LONGEST);
    else if (this.#pending.length === 1) this.#sent.then(() => this.#send());
  }

  /** Stores that this worker begins a piece alone, before the piece can end the worker. */
  begin(begun: number): Promise<void> {
    return this.#note({ begun });
  }

  /** Stores that this worker gives back the piece that was begun alone. */
  leave(left: number): Promise<void> {
    return this.#note({ left });
  }

  /** Resolves when all verdicts are stored, or the run is over. Throws the error that made that impossible. */
  async flush(): Promise<void> {
    this.#send();
    await this.#sent;
    if (this.#error !== undefined) throw this.#error;
  }

  async #note(note: Pick<ResultMessage, "begun" | "left">): Promise<void> {
    const { worker, delivery } = this.#place;
    await this.flush();
    const message: ResultMessage = { worker, delivery, verdicts: [], ...note };
    await this.#store(encode(message), this.#messages++);
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const verdicts of this.#parts(this.#pending)) {
      const message = this.#messages++;
      this.#sent = this.#sent.then(() => this.#store(verdicts, message)).catch((error) => {
        this.#error ??= error;
      });
    }
    this.#pending = [];
  }

  /** Halves messages that are larger than the server permits. */
  *#parts(verdicts: readonly PieceVerdict[]): Generator<Uint8Array> {
    if (verdicts.length === 0) return;
    const { worker, delivery, queue } = this.#place;
    const bytes = encode({ worker, delivery, verdicts } satisfies ResultMessage);
    if (bytes.length < queue.largest - 1024) return yield bytes;
    const half = verdicts.length >> 1;
    if (half === 0) return yield* this.#parts([tooLarge(verdicts[0], bytes.length, queue.largest)]);
    yield* this.#parts(verdicts.slice(0, half));
    yield* this.#parts(verdicts.slice(half));
  }

  async #store(bytes: Uint8Array, message: number): Promise<void> {
    const { queue, subject, worker, delivery, signal, isOver } = this.#place;
    if (this.#error !== undefined || signal.aborted) return;
    let over = false;
    const msgID = `${worker}.${delivery}.${subject}.${message}`;
    try {
      await persist(() => queue.js.publish(subject, bytes, { msgID, headers: headers() }), {
        what: "the results of a task",
        signal,
        isOver: () => over,
        again: (error) => {
          void isOver().then((is) => over ||= is);
          return isPassing(error);
        },
      });
    } catch (error) {
      if (!signal.aborted && !over) throw error;
    }
  }
}

function tooLarge([index]: PieceVerdict, bytes: number, most: number): PieceVerdict {
  return [
    index,
    "InternalError",
    `the result has ${bytes} bytes, and the queue's server takes ${most}; raise its max_payload`,
  ];
}
