/** The readings of a GPU's clock and CLOCK_MONOTONIC at one moment. */
export interface Moment {
  readonly ticks: bigint;
  /** Nanoseconds of CLOCK_MONOTONIC. */
  readonly time: number;
  /** The most that the time may be off, in nanoseconds. */
  readonly error: number;
  /** The source of both readings: the name of an extension, or `"fence"`. */
  readonly by: string;
}

/** The time of the GPU's work, in nanoseconds of CLOCK_MONOTONIC. */
export interface Span {
  readonly begun: number;
  readonly ended: number;
}

/** Turns the timestamps of one GPU into nanoseconds of CLOCK_MONOTONIC. */
export class GpuClock {
  readonly #period: number;
  #moment: Moment | undefined;

  /** `period` is the length of a tick in nanoseconds. */
  constructor(period: number) {
    this.#period = period;
  }

  /** The most that times may be off, in nanoseconds. */
  get error(): number {
    return Math.ceil((this.#moment?.error ?? 0) + this.#period);
  }

  /** The source of both readings. */
  get by(): string {
    return this.#moment!.by;
  }

  /** Whether a moment is known. */
  get isSet(): boolean {
    return this.#moment !== undefined;
  }

  /** Takes a moment that both clocks are known for. Times are counted from this moment on. */
  set(moment: Moment): void {
    this.#moment = moment;
  }

  /**
   * Returns when work ran, by the timestamps around. Corrects the clock by what must be: work begins after the
   * submission and ends before somebody sees the end. Clocks that were compared once only run apart, and counters of
   * few bits begin anew, so that times are counted from the newest timestamp on.
   */
  spanOf([first, last]: readonly bigint[], bits: number, submitted: number, seen: number): Span {
    const early = submitted - this.timeOf(first, bits), late = this.timeOf(last, bits) - seen;
    const { ticks, time, error, by } = this.#moment!;
    const shift = early > error ? early : late > error ? -late : 0, since = BigInt.asIntN(bits, last - ticks);
    this.#moment = { ticks: ticks + since, time: time + shift + Number(since) * this.#period, error, by };
    return { begun: this.timeOf(first, bits), ended: this.timeOf(last, bits) };
  }

  /** Returns when a timestamp was written whose lowest `bits` bits are valid. */
  timeOf(timestamp: bigint, bits: number): number {
    const { ticks, time } = this.#moment!;
    return Math.round(time + Number(BigInt.asIntN(bits, timestamp - ticks)) * this.#period);
  }
}
