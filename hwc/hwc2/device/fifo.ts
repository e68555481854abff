/** Does one thing after another, in the order they were asked for, whether the ones before succeed or not. */
export class Fifo {
  #last: Promise<unknown> = Promise.resolve();

  /** Does something when all before it is done. */
  run<Result>(job: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(job);
    this.#last = result.catch(() => {});
    return result;
  }
}
