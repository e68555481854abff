/** The times of a display's vsyncs. */
export class Timing {
  #base: bigint;
  #period: bigint;

  /** The first vsync, and nanoseconds to the next. */
  constructor(base: bigint, period: number) {
    this.#base = base;
    this.#period = BigInt(period);
  }

  /** Nanoseconds from vsync to vsync. */
  get period(): number {
    return Number(this.#period);
  }

  /** The first vsync after a time. */
  next(after: bigint): bigint {
    if (after < this.#base) return this.#base;
    return this.#base + ((after - this.#base) / this.#period + 1n) * this.#period;
  }

  /** The first vsync at or after a time. */
  from(time: bigint): bigint {
    return this.next(time - 1n);
  }

  /** Another period, from a vsync on. */
  change(base: bigint, period: number): void {
    this.#base = base;
    this.#period = BigInt(period);
  }
}
