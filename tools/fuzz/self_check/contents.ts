/** Work that a queue carries out in order: on contents that are simulated. */
export type Work = () => void;

/**
 * A queue whose submissions run one after the other, as barriers order them. A
 * submission that waits for the host holds up all that follow.
 */
export class SimulatedQueue {
  #waiting: { readonly gate: object | undefined; readonly work: readonly Work[] }[] = [];
  readonly #open = new Set<object>();

  /** Submits work, which may wait for a gate. */
  submit(work: readonly Work[], gate?: object): void {
    this.#waiting.push({ gate, work });
    this.#run();
  }

  /** Opens a gate. */
  open(gate: object): void {
    this.#open.add(gate);
    this.#run();
  }

  #run(): void {
    for (let [first] = this.#waiting; first; [first] = this.#waiting) {
      if (first.gate && !this.#open.has(first.gate)) return;
      if (first.gate) this.#open.delete(first.gate);
      this.#waiting.shift();
      for (const work of first.work) work();
    }
  }
}
