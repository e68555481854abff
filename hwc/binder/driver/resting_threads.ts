/** Threads that rest for good until a call needs them, and milliseconds that the others rest before they end. */
const MOST = 2, REST = 2000;

/**
 * Threads that wait for the next call. Starting one takes longer than most calls, and calls come in bursts: threads beyond
 * the first few end only when no burst has needed them for a moment.
 */
export class RestingThreads<Thread> {
  /** The one that rested last at the end. */
  readonly #resting: { readonly thread: Thread; readonly since: number }[] = [];
  readonly #end: (thread: Thread) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `end` ends a thread that nobody needed. */
  constructor(end: (thread: Thread) => void) {
    this.#end = end;
  }

  /** Takes the thread that rested last; `undefined` if none rests. */
  take(): Thread | undefined {
    return this.#resting.pop()?.thread;
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
    if (this.#timer !== undefined || this.#resting.length <= MOST) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const isOver = () => this.#resting.length > MOST && performance.now() - this.#resting[0].since >= REST;
      while (isOver()) this.#end(this.#resting.shift()!.thread);
      this.#watch();
    }, REST);
  }
}
