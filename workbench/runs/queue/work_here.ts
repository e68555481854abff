/** The work of a worker that needs no server. Work that waits for the server is not at work meanwhile. */
export class WorkHere {
  #count = 0;

  /** Whether anything is at work. */
  get isOn(): boolean {
    return this.#count > 0;
  }

  /** Runs work. */
  during<Value>(run: () => Promise<Value>): Promise<Value> {
    return this.#changedBy(1, run);
  }

  /** Waits for the server inside of work. */
  outside<Value>(wait: () => Promise<Value>): Promise<Value> {
    return this.#changedBy(-1, wait);
  }

  async #changedBy<Value>(by: 1 | -1, run: () => Promise<Value>): Promise<Value> {
    this.#count += by;
    try {
      return await run();
    } finally {
      this.#count -= by;
    }
  }
}
