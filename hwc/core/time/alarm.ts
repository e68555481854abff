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

  /** The time at which the alarm rings; `undefined` if the alarm is not set. */
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

/** The task after some time without a frame. */
interface IdleTask {
  readonly alarm: Alarm;
  nanoseconds: bigint;
}

/** Notices that a display has not got a frame for a while: for flattening, and for the client's idle timer. */
export class Idleness {
  readonly #clock: Clock;
  readonly #flatten: IdleTask;
  readonly #client: IdleTask;

  /** 0n nanoseconds: never. */
  constructor(clock: Clock, flattenAfter: bigint, flatten: () => void, idle: () => void) {
    this.#clock = clock;
    this.#flatten = { alarm: new Alarm(clock, flatten), nanoseconds: flattenAfter };
    this.#client = { alarm: new Alarm(clock, idle), nanoseconds: 0n };
  }

  /** The client's timer; 0 for none. */
  setClientTimer(milliseconds: number): void {
    this.#client.nanoseconds = BigInt(milliseconds) * 1_000_000n;
    restart(this.#client, this.#clock);
  }

  /** A frame came. `rests`: it is flat already. */
  frame(rests: boolean): void {
    if (rests) this.#flatten.alarm.clear();
    else restart(this.#flatten, this.#clock);
    restart(this.#client, this.#clock);
  }

  /** For good, or until the next frame. */
  stop(): void {
    this.#flatten.alarm.clear();
    this.#client.alarm.clear();
  }
}

function restart({ alarm, nanoseconds }: IdleTask, clock: Clock): void {
  if (nanoseconds === 0n) alarm.clear();
  else alarm.set(clock.now() + nanoseconds);
}
