import type { Clock } from "./clock.ts";

/** Calls back once at a time, which can be changed or called off. */
export class Alarm {
  readonly #clock: Clock;
  readonly #run: () => void;
  #cancel: (() => void) | undefined;
  #time: bigint | undefined;

  /** Not set yet. */
  constructor(clock: Clock, run: () => void) {
    this.#clock = clock;
    this.#run = run;
  }

  /** When it rings; `undefined` if it is not set. */
  get time(): bigint | undefined {
    return this.#time;
  }

  /** Sets it to a time. */
  set(time: bigint): void {
    if (time === this.#time) return;
    this.clear();
    this.#time = time;
    this.#cancel = this.#clock.at(time, () => {
      this.#time = this.#cancel = undefined;
      this.#run();
    });
  }

  /** Calls it off. */
  clear(): void {
    this.#cancel?.();
    this.#time = this.#cancel = undefined;
  }
}
