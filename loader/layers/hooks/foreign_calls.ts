import { type RecordedCall, Ring } from "../../../ffi/thunk/ring.ts";
import type { Thunk, ThunkOptions } from "../../../ffi/thunk/thunk.ts";
import type { Finding } from "../../driver/report/finding.ts";
import type { RawCommands } from "../../gen/raw_commands_gen.ts";
import type { ForeignThreadPolicy, Layer } from "../../layer.ts";

/** How often calls are looked for that other threads have made, in milliseconds. */
const INTERVAL = 100;
/** How many calls there is room for until they are looked for. */
export const FOREIGN_CALLS = 65_536;
/** The most room that can be asked for. */
const MOST_FOREIGN_CALLS = 1 << 20;
/** What a layer wants done with calls of a command on other threads. */
export function policyOf({ onForeignThread = "skip" }: Layer, command: string): ForeignThreadPolicy {
  if (typeof onForeignThread === "string") return onForeignThread;
  return onForeignThread[command as keyof RawCommands] ?? "skip";
}

/** The calls that other threads made of hooked commands, for the layers that want to hear of them. */
export class ForeignCalls implements Disposable {
  readonly #listeners = new Map<Thunk, (call: RecordedCall) => void>();
  readonly #room: number;
  #lost = 0;
  #ring: Ring | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** With room for so many calls at a time. Throws a `TypeError` unless that is an integer from 1 to 2²⁰. */
  constructor(room: number = FOREIGN_CALLS) {
    if (!Number.isInteger(room) || room < 1 || room > MOST_FOREIGN_CALLS) {
      throw new TypeError(`Cannot use foreignCalls ${room}: give an integer from 1 to ${MOST_FOREIGN_CALLS}`);
    }
    this.#room = room;
  }

  /** How the callback of a command is made to follow a policy. Not inside a callback. */
  options(policy: ForeignThreadPolicy): Pick<ThunkOptions, "onForeignThread" | "ring"> {
    return policy === "record" ? { onForeignThread: policy, ring: this.#openRing() } : { onForeignThread: policy };
  }

  /** Has `tell` called about the recorded calls of a callback. */
  listen(thunk: Thunk, tell: (call: RecordedCall) => void): void {
    this.#listeners.set(thunk, tell);
  }

  /** Tells the layers what was recorded until now; returns of how many calls. */
  drain(): number {
    return this.#ring?.drain((call) => this.#listeners.get(call.thunk)?.(call)) ?? 0;
  }

  /** How many calls found no room and were not recorded. */
  get lost(): number {
    return this.#ring?.lost ?? this.#lost;
  }

  /** That calls were lost, if they were. */
  findings(): Finding[] {
    const { lost } = this;
    if (lost === 0) return [];
    const reason = `${lost} calls of other threads found no room and were not recorded; ` +
      "call drain() more often, or give the option foreignCalls a larger number";
    return [{
      subject: "layer",
      path: "",
      origin: 'onForeignThread: "record"',
      taken: false,
      reason,
      level: "warning",
    }];
  }

  /** Tells what is left and frees the memory. No callback may be left. */
  close(): void {
    if (this.#timer !== undefined) clearInterval(this.#timer); // which Deno loads when it is first named
    try {
      this.drain();
    } finally {
      this.#ring?.close();
      this.#lost = this.lost;
      this.#ring = undefined;
    }
  }

  /** Frees the memory at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #openRing(): Ring {
    if (!this.#ring) {
      this.#ring = new Ring({ records: this.#room });
      this.#timer = setInterval(() => this.drain(), INTERVAL);
      Deno.unrefTimer(this.#timer);
    }
    return this.#ring;
  }
}
