import { NativeBlock } from "../../../ffi/block.ts";
import { NOTE, NOTES, RING_AT } from "../layout.ts";
import { NOTES_END, NOTES_END_MAGIC } from "../messages.ts";
import { receiveSome } from "./socket.ts";

const FREE = 0, WRITTEN = 2;
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
    return this.#state((this.#at + BATCH - 1) % NOTES) === FREE;
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
      this.#view.setUint32(to, WRITTEN, true);
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
