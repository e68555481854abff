import { CAPTURE_STATE, LATE, NOTE, NOTED, NOTES, RING_AT } from "../layout.ts";
import type { Transport } from "./transport.ts";
import { NativeBlock } from "../../../ffi/block.ts";
import { NOTES_END, NOTES_END_MAGIC } from "../messages.ts";
import { receiveSome } from "./socket.ts";

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
  /** The place of the note if the call is handed over after it was made, or while it is being made. */
  readonly late: number | undefined;
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
  /** The time since which the next note is claimed or begun, and not written. */
  #claimedSince: number | undefined;
  #draining = 0;
  readonly #onPending: () => void;

  /** Begins at the first note. `onPending` is called where the next note waits for a capture. */
  constructor(channel: Transport, onPending: () => void = () => {}) {
    this.#channel = channel;
    this.#onPending = onPending;
  }

  /** Whether a note is being told now. */
  get isDraining(): boolean {
    return this.#draining > 0;
  }

  /**
   * Calls a function with each note until now, and returns their number. A note is free again once the function has
   * returned; until then, the notes behind it may be drained. A note that is being written is not waited for if it is
   * among the last ones. A call that is being made is told of after so many milliseconds, which may depend on the
   * command, once its capture is made: captures are in the order of the calls.
   */
  drain(
    tell: (note: Note) => void,
    areLast = false,
    patience: number | ((command: number) => number) = 0,
  ): number {
    this.#draining++;
    try {
      return this.#drain(tell, areLast, typeof patience === "number" ? () => patience : patience);
    } finally {
      this.#draining--;
    }
  }

  #drain(tell: (note: Note) => void, areLast: boolean, patience: (command: number) => number): number {
    let count = 0;
    for (; count < NOTES; count++) {
      const state = this.#channel.state(this.#at);
      if (state === NOTED.free) break;
      if (state === NOTED.claimed && !areLast && !this.#isStale(PATIENCE)) break;
      const isPending = state === NOTED.begun && this.#isPending;
      if (isPending && !areLast) {
        this.#onPending();
        break;
      }
      if (state === NOTED.begun && !areLast && !this.#isStale(patience(this.#command))) break;
      this.#claimedSince = undefined;
      const at = this.#at, note = state === NOTED.claimed ? undefined : this.#read();
      this.#at = at + NOTE.size === RING_AT + NOTES * NOTE.size ? RING_AT : at + NOTE.size;
      try {
        if (!note) this.unwritten++;
        else if (!isPending) tell(note); // the program ended before it made the call
      } finally {
        this.#channel.free(at);
      }
    }
    return count;
  }

  /** The command of the next note. */
  get #command(): number {
    return this.#channel.view.getUint32(this.#at + NOTE.command, true);
  }

  /** Whether the next note, which is begun, waits for its capture. */
  get #isPending(): boolean {
    const { view } = this.#channel;
    if (view.getBigUint64(this.#at + NOTE.isTimed, true) !== BigInt(LATE)) return false;
    return view.getBigUint64(this.#at + NOTE.gathered, true) === BigInt(CAPTURE_STATE.pending);
  }

  #isStale(patience: number): boolean {
    this.#claimedSince ??= performance.now();
    return performance.now() - this.#claimedSince >= patience;
  }

  #read(): Note {
    const { view } = this.#channel, at = this.#at;
    const time = nanosecondsAt(view, at + NOTE.time), how = view.getBigUint64(at + NOTE.isTimed, true);
    const isLate = how === BigInt(LATE), isTimed = how !== 0n && !isLate;
    return {
      command: view.getUint32(at + NOTE.command, true),
      link: view.getBigUint64(at + NOTE.link, true),
      thread: view.getUint32(at + NOTE.thread, true),
      time,
      took: isTimed ? nanosecondsAt(view, at + NOTE.end) - time : undefined,
      late: isLate ? at : undefined,
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

/** The most notes that are taken at once from one program. */
const BATCH = 64;

/** Takes notes that programs send into a ring, from which they are read as those of shared memory. */
export class NoteIntake {
  readonly #view: DataView;
  #at = 0;
  /** The number of lost calls of each program. */
  readonly #lost = new Map<number, number>();

  /** Takes notes into the ring of a channel. */
  constructor(view: DataView) {
    this.#view = view;
  }

  /** Whether there is room for the most notes at once; without room, programs keep their notes. */
  get hasRoom(): boolean {
    return this.#state((this.#at + BATCH - 1) % NOTES) === NOTED.free;
  }

  /** The number of calls that found no room in their programs. */
  get lost(): number {
    return [...this.#lost.values()].reduce((sum, each) => sum + each, 0);
  }

  /** Takes the notes in so many bytes of a program. */
  take(process: number, bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; from += NOTE.size) {
      const note = bytes.subarray(from, from + NOTE.size), to = RING_AT + this.#at * NOTE.size;
      this.count(process, new DataView(note.buffer, note.byteOffset).getBigUint64(NOTE.lost, true));
      new Uint8Array(this.#view.buffer, to, NOTE.size).set(note);
      this.#view.setUint32(to, NOTED.written, true);
      this.#at = (this.#at + 1) % NOTES;
    }
  }

  /** Notes the number of calls that a program has lost by now. Of several connections, the latest may come first. */
  count(process: number, lost: bigint): void {
    this.#lost.set(process, Math.max(this.#lost.get(process) ?? 0, Number(lost)));
  }

  #state(index: number): number {
    return this.#view.getUint32(RING_AT + index * NOTE.size, true);
  }
}

/** A connection through which a program sends its notes. */
export class NoteLine {
  readonly #block = new NativeBlock(BATCH * NOTE.size);
  #filled = 0;

  /** Takes the bytes that have come. Returns `false` if the connection has ended. */
  take(file: number, process: number, intake: NoteIntake): boolean {
    const { address, bytes } = this.#block,
      got = receiveSome(file, address + BigInt(this.#filled), bytes.length - this.#filled);
    if (got <= 0) return false;
    this.#filled += got;
    const whole = this.#filled - this.#filled % NOTE.size;
    intake.take(process, bytes.subarray(0, whole));
    bytes.copyWithin(0, whole, this.#filled);
    this.#filled -= whole;
    if (this.hasEnded) intake.count(process, this.#block.view.getBigUint64(NOTES_END.lost, true));
    return true;
  }

  /** Whether the program has sent the end of its notes. */
  get hasEnded(): boolean {
    if (this.#filled !== NOTES_END.size) return false;
    return this.#block.view.getBigUint64(NOTES_END.magic, true) === NOTES_END_MAGIC;
  }

  /** Frees the memory of the ring. */
  close(): void {
    this.#block.close();
  }
}
