import { NOTE, NOTES, RING_AT } from "../layout.ts";
import type { Transport } from "./transport.ts";

const FREE = 0, CLAIMED = 1;
/** Milliseconds after which a thread that claimed a note will not write it any more: its process was ended. */
const PATIENCE = 1000;

/** A call that a program noted. */
export interface Note {
  /** The number of the command. */
  readonly command: number;
  /** The number of the program's link. */
  readonly link: bigint;
  /** Kernel's id of the thread. */
  readonly thread: number;
  /** The time of the call, in nanoseconds of CLOCK_MONOTONIC. */
  readonly time: number;
  /** The nanoseconds that the call took; `undefined` for a call that was noted before it was made. */
  readonly took: number | undefined;
  /** The arguments, in an `INVOKE` block. */
  readonly block: DataView;
  /** The whole note. */
  readonly view: DataView;
}

/** The reading of the ring in which programs note calls. Notes come out in the order in which they were begun. */
export class Notes {
  /** The number of notes that were begun and not written. */
  unwritten = 0;
  readonly #channel: Transport;
  #at = RING_AT;
  /** The time since which the next note is claimed and not written. */
  #claimedSince: number | undefined;

  /** Begins at the first note. */
  constructor(channel: Transport) {
    this.#channel = channel;
  }

  /**
   * Calls a function with each note until now, and returns their number. A note is free again once the function has
   * returned. A note that is being written is not waited for if it is among the last ones.
   */
  drain(tell: (note: Note) => void, areLast = false): number {
    let count = 0;
    for (; count < NOTES; count++) {
      const state = this.#channel.state(this.#at);
      if (state === FREE || state === CLAIMED && !areLast && !this.#isStale()) break;
      this.#claimedSince = undefined;
      try {
        if (state === CLAIMED) this.unwritten++;
        else tell(this.#read());
      } finally {
        this.#channel.free(this.#at);
        this.#at = this.#at + NOTE.size === RING_AT + NOTES * NOTE.size ? RING_AT : this.#at + NOTE.size;
      }
    }
    return count;
  }

  #isStale(): boolean {
    this.#claimedSince ??= performance.now();
    return performance.now() - this.#claimedSince > PATIENCE;
  }

  #read(): Note {
    const { view } = this.#channel, at = this.#at;
    const time = nanosecondsAt(view, at + NOTE.time), isTimed = view.getBigUint64(at + NOTE.isTimed, true) !== 0n;
    return {
      command: view.getUint32(at + NOTE.command, true),
      link: view.getBigUint64(at + NOTE.link, true),
      thread: view.getUint32(at + NOTE.thread, true),
      time,
      took: isTimed ? nanosecondsAt(view, at + NOTE.end) - time : undefined,
      block: new DataView(view.buffer, view.byteOffset + at + NOTE.invoke, NOTE.size - NOTE.invoke),
      view: new DataView(view.buffer, view.byteOffset + at, NOTE.size),
    };
  }
}

/** Reads a `timespec`. */
function nanosecondsAt(view: DataView, at: number): number {
  const [seconds, rest] = [0, 8].map((word) => Number(view.getBigInt64(at + word, true)));
  return seconds * 1e9 + rest;
}
