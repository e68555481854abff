import { setImmediate } from "node:timers";
import { pollDescriptor } from "../../../ffi/file/file_descriptor.ts";
import type { Commands } from "./commands.ts";
import type { Device, Returns } from "./device.ts";
import type { BinderThread, Kind, Writing } from "./driver_thread.ts";

/** Milliseconds that this thread waits at a time, at first and at most, and after which it only looks now and then. */
const SLICE = 1, LONGEST_SLICE = 8, PATIENCE = 200;
/** Calls that are served at once before other events of this process. */
const MOST_AT_ONCE = 16;

/**
 * This very thread, which the kernel's driver knows, too: what it calls and answers itself needs no other thread to be
 * woken. It waits for answers in slices of a few milliseconds, between which everything else goes on: a turn of the event
 * loop takes long enough to be in the way of whoever is to answer.
 */
export class OwnThread<Call> implements BinderThread<Call> {
  readonly isLooper = false;
  readonly calls: Call[] = [];
  readonly #device: Device;
  readonly #hear: (returns: Returns) => void;
  readonly #isWaiting: () => boolean;
  readonly #commands: Commands;
  #since = 0;
  #isLooking = false;

  /**
   * `commands` go along with what is written; `hear` gets what the driver returns, `isWaiting` tells whether the innermost
   * call waits for an answer.
   */
  constructor(device: Device, commands: Commands, hear: (returns: Returns) => void, isWaiting: () => boolean) {
    this.#device = device;
    this.#commands = commands;
    this.#hear = hear;
    this.#isWaiting = isWaiting;
  }

  write({ block, length, taken }: Writing, kind: Kind): void {
    let returns: Returns;
    try {
      returns = this.#device.exchange(block, length, this.#commands.take());
    } finally {
      block.close();
    }
    this.#hear(returns);
    taken?.();
    if (kind === "call") this.#since = performance.now();
    if (!this.#isLooking) this.#look();
  }

  /**
   * Reads work that any thread may take, unless this thread is in a call. Returns whether there was any. A caller's next
   * call mostly follows the answer, and is worth a short wait: it needs no other thread to be woken.
   */
  readWork(): boolean {
    let count = 0;
    const isThere = () => count === 0 || pollDescriptor(this.#device.fd, SLICE);
    while (count < MOST_AT_ONCE && this.calls.length === 0 && isThere() && this.read()) count++;
    return count > 0;
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    for (let slice = SLICE; this.#isWaiting(); slice = Math.min(2 * slice, LONGEST_SLICE)) {
      const isLate = performance.now() - this.#since > PATIENCE;
      if (pollDescriptor(this.#device.fd, isLate ? 0 : slice) && this.read()) slice = SLICE / 2;
      else await new Promise((done) => isLate ? setTimeout(done, LONGEST_SLICE) : setImmediate(done));
    }
    this.#isLooking = false;
  }

  /** Reads what the driver has for this thread. Returns whether that was anything. */
  read(): boolean {
    const returns = this.#device.exchange();
    this.#hear(returns);
    return returns.bytes.length > 4; // more than BR_NOOP
  }
}
