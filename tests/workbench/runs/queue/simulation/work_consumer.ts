import type { FalseClock } from "./false_clock.ts";
import type { StoredMessage, StoredStream } from "./stored_stream.ts";

/** A request for one task. */
interface Wish {
  readonly until: number;
  /** Takes a task with the number of its delivery, or the server's word that there is none. */
  readonly answer: (message: StoredMessage | typeof OVER | typeof GONE, delivery?: number) => void;
}

/** The server's words: the request's time is over; the consumer has ended. */
export const OVER = 408, GONE = 409;

/** A consumer of a stream of tasks: each task is with one worker, until that acknowledges it or is silent for too long. */
export class WorkConsumer {
  readonly #stream: StoredStream;
  readonly #clock: FalseClock;
  readonly #patience: number;
  readonly #waiting: number[] = [];
  readonly #wishes: Wish[] = [];
  readonly #out = new Map<number, number>();
  readonly #deliveries = new Map<number, number>();
  #taken = 0;
  #isOver = false;

  /** A consumer of the messages on a subject that gives a task away after so many milliseconds of silence. */
  constructor(stream: StoredStream, clock: FalseClock, subject: (message: StoredMessage) => boolean, patience: number) {
    [this.#stream, this.#clock, this.#patience] = [stream, clock, patience];
    stream.followers.add((message) => {
      if (subject(message)) this.#put(message.seq);
    });
  }

  /** The tasks that wait, and those that are with workers. */
  get counts(): { readonly num_pending: number; readonly num_ack_pending: number } {
    return { num_pending: this.#waiting.length - this.#taken, num_ack_pending: this.#out.size };
  }

  /** Asks for a task. */
  ask(wish: Wish): void {
    const seq = this.#next();
    if (seq !== undefined) return this.#deliver(seq, wish);
    this.#wishes.push(wish);
    this.#clock.after(wish.until - this.#clock.now, undefined, () => {
      const at = this.#wishes.indexOf(wish);
      if (at < 0 || this.#isOver) return;
      this.#wishes.splice(at, 1);
      wish.answer(OVER);
    });
  }

  /** Hears of a task that is with a worker. */
  hear(seq: number, word: string): void {
    if (!this.#out.has(seq)) return;
    if (word.startsWith("+WPI")) return void this.#out.set(seq, this.#clock.now);
    this.#out.delete(seq);
    if (word.startsWith("+ACK")) return this.#stream.remove(seq);
    const { delay = 0 } = JSON.parse(word.slice("-NAK ".length)) as { delay?: number };
    this.#clock.after(delay / 1e6, undefined, () => this.#put(seq));
  }

  /** Ends with the stream. */
  end(): void {
    this.#isOver = true;
    for (const { answer } of this.#wishes.splice(0)) answer(GONE);
    this.#out.clear();
  }

  #next(): number | undefined {
    if (this.#taken >= 1024 && 2 * this.#taken > this.#waiting.length) {
      this.#waiting.splice(0, this.#taken);
      this.#taken = 0;
    }
    return this.#taken < this.#waiting.length ? this.#waiting[this.#taken++] : undefined;
  }

  #put(seq: number): void {
    if (this.#isOver) return;
    const wish = this.#wishes.shift();
    if (wish) this.#deliver(seq, wish);
    else this.#waiting.push(seq);
  }

  #deliver(seq: number, { answer }: Wish): void {
    const delivery = (this.#deliveries.get(seq) ?? 0) + 1;
    this.#deliveries.set(seq, delivery);
    this.#out.set(seq, this.#clock.now);
    this.#watch(seq, this.#patience);
    answer(this.#stream.get(seq)!, delivery);
  }

  /** Gives a task away when its worker has been silent for too long. */
  #watch(seq: number, after: number): void {
    const delivery = this.#deliveries.get(seq);
    this.#clock.after(after, undefined, () => {
      const last = this.#out.get(seq);
      if (last === undefined || this.#deliveries.get(seq) !== delivery) return;
      const silent = this.#clock.now - last;
      if (silent < this.#patience) return this.#watch(seq, this.#patience - silent);
      this.#out.delete(seq);
      this.#put(seq);
    });
  }
}
