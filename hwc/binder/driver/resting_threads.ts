/** Milliseconds that threads which are not kept for good rest before they end. */
const REST = 2000;

/**
 * Threads that wait for the next call. Starting one takes longer than most calls, and calls come in bursts: threads beyond
 * the first few end only when no burst has needed them for a moment.
 */
export class RestingThreads<Thread> {
  /** The one that rested last at the end. */
  readonly #resting: { readonly thread: Thread; readonly since: number }[] = [];
  readonly #kept: number;
  readonly #end: (thread: Thread) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `kept` is how many threads rest for good; `end` ends one of the others. */
  constructor(kept: number, end: (thread: Thread) => void) {
    this.#kept = kept;
    this.#end = end;
  }

  /** The number of waiting threads. */
  get count(): number {
    return this.#resting.length;
  }

  /** Takes the thread that rested last; `undefined` if none rests. */
  take(): Thread | undefined {
    return this.#resting.pop()?.thread;
  }

  /** Takes a thread out that has found work itself. */
  remove(thread: Thread): void {
    const at = this.#resting.findIndex((resting) => resting.thread === thread);
    if (at >= 0) this.#resting.splice(at, 1);
  }

  /** Keeps a thread. */
  add(thread: Thread): void {
    this.#resting.push({ thread, since: performance.now() });
    this.#watch();
  }

  /** Watches the threads no longer. Whoever owns them ends them. */
  close(): void {
    clearTimeout(this.#timer);
    this.#resting.length = 0;
  }

  #watch(): void {
    if (this.#timer !== undefined || this.#resting.length <= this.#kept) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const isOver = () => this.#resting.length > this.#kept && performance.now() - this.#resting[0].since >= REST;
      while (isOver()) this.#end(this.#resting.shift()!.thread);
      this.#watch();
    }, REST);
  }
}
