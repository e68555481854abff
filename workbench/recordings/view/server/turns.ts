/** A request that the page had given up before its turn came. */
export class GivenUp extends Error {
  /** The error's name. */
  override readonly name = "GivenUp";
}

/** Requests to something that carries out one after the other: those that nobody waits for any more are left out. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Calls `act` when the requests before are done. Throws {@linkcode GivenUp} if the request is not wanted then. */
  take<T>(act: () => Promise<T>, isWanted: () => boolean = () => true): Promise<T> {
    const turn = this.#last.then(() => {
      if (isWanted()) return act();
      throw new GivenUp("The page has gone on to another event");
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/** The most pages whose choices are known. */
const MOST = 64;

/**
 * The latest choice of each page. A server is not told that a page gave a request up; therefore requests carry the
 * number of the choice that they were made for.
 */
export class Choices {
  readonly #latest = new Map<string, number>();

  /** Notes the choice of a page. Returns whether it still is the latest one, as a function. */
  note(page: string, choice: number): () => boolean {
    const latest = Math.max(choice, this.#latest.get(page) ?? 0);
    this.#latest.delete(page);
    this.#latest.set(page, latest);
    if (this.#latest.size > MOST) this.#latest.delete(this.#latest.keys().next().value!);
    return () => (this.#latest.get(page) ?? choice) <= choice;
  }
}
