import { Alarm } from "./alarm.ts";
import type { Clock } from "./clock.ts";
import type { Timing } from "./timing.ts";

/** Calls back at every vsync while it is wanted and the panel is on. */
export class VsyncTicker {
  readonly #clock: Clock;
  readonly #timing: Timing;
  readonly #emit: (timestamp: bigint) => void;
  readonly #alarm: Alarm;
  #isWanted = false;
  #isOn = false;
  #due = 0n;

  /** Says nothing yet. */
  constructor(clock: Clock, timing: Timing, emit: (timestamp: bigint) => void) {
    this.#clock = clock;
    this.#timing = timing;
    this.#emit = emit;
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
    this.#alarm.set(this.#due);
  }

  /** For good. */
  stop(): void {
    this.#isWanted = false;
    this.#alarm.clear();
  }

  #ring(): void {
    const now = this.#clock.now(), timestamp = this.#due;
    // A timer may ring a little early, and a card's vsyncs drift a little: no vsync is told twice. A timer that rings
    // late tells the last vsync and skips those missed.
    const half = timestamp + BigInt(this.#timing.period) / 2n;
    this.#due = this.#timing.next(now > half ? now : half);
    this.#alarm.set(this.#due);
    this.#emit(this.#due - BigInt(this.#timing.period));
  }
}
