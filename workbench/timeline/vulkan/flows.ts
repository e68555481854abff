/** Signals that nobody waited for are forgotten beyond this number, the oldest first. */
const MOST = 4096;

/**
 * The arrows from those who signal to those who wait, by what is signalled: a
 * fence, a semaphore, or a semaphore's value. Whoever waits takes the arrow,
 * except for values, which many may wait for.
 */
export class Flows {
  readonly #open = new Map<string, number>();
  readonly #next: () => number;

  /** Takes the source of new numbers. */
  constructor(next: () => number) {
    this.#next = next;
  }

  /** Returns the arrow that begins where something is signalled. */
  signal(what: string): number {
    const flow = this.#next();
    this.#open.delete(what);
    this.#open.set(what, flow);
    if (this.#open.size > MOST) this.#open.delete(this.#open.keys().next().value!);
    return flow;
  }

  /** Returns the arrow that ends with a wait; none if nobody signals. */
  wait(what: string): number[] {
    const flow = this.#open.get(what);
    if (flow === undefined) return [];
    if (!what.includes("=")) this.#open.delete(what);
    return [flow];
  }
}
