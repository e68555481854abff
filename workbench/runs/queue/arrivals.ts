/** The number of verdicts that come home at a time: files and scripts are written. */
const AT_A_TIME = 2;

/** Work that goes on beside the execution, a few pieces at a time. */
export class Arrivals {
  readonly #left: (() => Promise<void>)[] = [];
  readonly #running = new Set<Promise<void>>();

  /** Begins a piece of work, or puts it off until others have ended. */
  add(arrive: () => Promise<void>): void {
    this.#left.push(arrive);
    if (this.#running.size >= AT_A_TIME) return;
    const run = this.#drain().finally(() => this.#running.delete(run));
    run.catch(() => {}); // end() hears of it
    this.#running.add(run);
  }

  /** Resolves when all work has ended; rejects with the first error. */
  async end(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #drain(): Promise<void> {
    for (let next = this.#left.shift(); next; next = this.#left.shift()) await next();
  }
}
