import { Alarm } from "./alarm.ts";
import type { Clock } from "./clock.ts";

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

/** Tells the next vsync, once; returns `false` if it cannot. */
type NextVsync = (tell: (time: bigint) => void) => boolean;

/** A vsync that a panel has announced is waited for so many periods before the clock tells one. */
const PATIENCE = 30n;

/** Calls back at every vsync while it is wanted and the panel is on: at those that the panel tells, else by a clock. */
export class VsyncTicker {
  readonly #clock: Clock;
  readonly #timing: Timing;
  readonly #emit: (timestamp: bigint) => void;
  readonly #ask: NextVsync | undefined;
  readonly #alarm: Alarm;
  #isWanted = false;
  #isOn = false;
  #due = 0n;
  #told = 0n;
  /** The vsync that the panel has announced. */
  #announced: object | undefined;

  /** Says nothing yet. */
  constructor(clock: Clock, timing: Timing, emit: (timestamp: bigint) => void, ask?: NextVsync) {
    this.#clock = clock;
    this.#timing = timing;
    this.#emit = emit;
    this.#ask = ask;
    this.#alarm = new Alarm(clock, () => this.#ring());
  }

  /** Whether the client wants them. */
  set isWanted(wanted: boolean) {
    this.#isWanted = wanted;
    this.reset();
  }

  /** Whether the panel is scanned out. */
  set isOn(on: boolean) {
    this.#isOn = on;
    this.reset();
  }

  /** The timing is another. */
  reset(): void {
    if (!this.#isWanted || !this.#isOn) return this.#alarm.clear();
    this.#due = this.#timing.next(this.#clock.now());
    this.#await();
  }

  /** For good. */
  stop(): void {
    this.#isWanted = false;
    this.#alarm.clear();
  }

  /** Waits for the panel, and if the panel tells nothing, for the clock. */
  #await(): void {
    if (!this.#announced && this.#ask) {
      const announced = this.#announced = {};
      if (!this.#ask((time) => this.#happened(time, announced))) this.#announced = undefined;
    }
    const patience = this.#announced ? PATIENCE * BigInt(this.#timing.period) : 0n;
    this.#alarm.set(this.#due + patience);
  }

  #happened(time: bigint, announced: object): void {
    if (this.#announced !== announced) return;
    this.#announced = undefined;
    if (!this.#isWanted || !this.#isOn) return;
    const half = BigInt(this.#timing.period) / 2n, isNew = time > this.#told + half;
    this.#due = this.#timing.next(time + half);
    this.#await();
    if (isNew) this.#tell(time);
  }

  #ring(): void {
    const now = this.#clock.now(), timestamp = this.#due;
    this.#announced = undefined;
    // A timer may ring a little early, and a card's vsyncs drift a little: no vsync is told twice. A timer that rings
    // late tells the last vsync and skips those missed.
    const half = timestamp + BigInt(this.#timing.period) / 2n;
    this.#due = this.#timing.next(now > half ? now : half);
    const last = this.#due - BigInt(this.#timing.period);
    this.#await();
    this.#tell(last);
  }

  #tell(time: bigint): void {
    this.#told = time;
    this.#emit(time);
  }
}
