import { Alarm } from "./alarm.ts";
import type { Clock } from "./clock.ts";

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
