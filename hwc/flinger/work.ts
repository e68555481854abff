/**
 * Work on a composer that may answer at once or by Promises, written once: a
 * generator that yields the Promises to wait for. With a composer that answers
 * at once, the generator yields nothing, and all of the work happens in one go.
 */
export type Work<Result = void> = Generator<PromiseLike<unknown>, Result, unknown>;

/** Returns an answer, and waits for an answer that is a Promise. */
export function* settle<Answer>(answer: Answer | Promise<Answer>): Work<Answer> {
  return (answer instanceof Promise ? yield answer : answer) as Answer;
}

/** Does pieces of work one after the other, each at once if no other piece is being done. */
export class WorkQueue {
  readonly #failed: (error: unknown) => void;
  #waiting: (() => Work)[] = [];
  #running: Promise<void> | undefined;
  #isBusy = false;

  /** `failed` gets what work throws. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Whether something is being done. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Does a piece of work when its turn comes, which may be now. */
  add(work: () => Work): void {
    this.#waiting.push(work);
    if (!this.#isBusy) this.#go();
  }

  /** Forgets work that has not begun. */
  clear(): void {
    this.#waiting = [];
  }

  /** Resolves when no work is left. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  #go(): void {
    this.#isBusy = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const work = next(), step = this.#step(() => work.next());
      if (step.done) continue;
      this.#running = this.#finish(work, step.value).then(() => {
        this.#running = undefined;
        this.#go();
      });
      return;
    }
    this.#isBusy = false;
  }

  async #finish(work: Work, promise: PromiseLike<unknown>): Promise<void> {
    for (let waited = promise;;) {
      const answer = await Promise.resolve(waited).then((value) => ({ value }), (error: unknown) => ({ error }));
      const step = this.#step(() => "error" in answer ? work.throw(answer.error) : work.next(answer.value));
      if (step.done) return;
      waited = step.value;
    }
  }

  #step(run: () => IteratorResult<PromiseLike<unknown>, void>): IteratorResult<PromiseLike<unknown>, void> {
    try {
      return run();
    } catch (error) {
      this.#failed(error);
      return { done: true, value: undefined };
    }
  }
}
