/** Requests to something that carries out one after the other: those that nobody waits for any more are left out. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Calls `act` when the requests before are done. Throws the reason of `signal` if it was aborted until then. */
  take<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#last.then(() => {
      signal?.throwIfAborted();
      return act();
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}
