import { BC } from "./uapi.ts";

/** The driver tells the same thread about what is dead already. */
const ANSWERED: readonly number[] = [BC.REQUEST_DEATH_NOTIFICATION, BC.CLEAR_DEATH_NOTIFICATION];

/** Bytes of commands that have time. */
const MOST_LATER = 96;

/** Commands of a few words for the driver, one after the other without gaps, written together a moment later. */
export class Commands {
  readonly #write: (commands: Uint8Array, answers: boolean) => void;
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #answers = false;
  #isDue = false;

  /** `write` writes commands to the driver, which may have something to answer to some. */
  constructor(write: (commands: Uint8Array, answers: boolean) => void) {
    this.#write = write;
  }

  /** Adds a command with 32-bit words, then with 64-bit ones. */
  add(command: number, words: readonly number[], quads: readonly bigint[] = []): void {
    if (!this.#isDue) queueMicrotask(() => this.#isDue && this.flush());
    this.#isDue = true;
    this.#put(command, words, quads);
  }

  /** Adds a command that has time until something else is written, or until many wait. */
  addLater(command: number, words: readonly number[], quads: readonly bigint[] = []): void {
    if (this.#length < MOST_LATER) this.#put(command, words, quads);
    else this.add(command, words, quads);
  }

  #put(command: number, words: readonly number[], quads: readonly bigint[]): void {
    const size = 4 + 4 * words.length + 8 * quads.length;
    if (this.#length + size > this.#bytes.length) this.#grow();
    this.#view.setUint32(this.#length, command, true);
    words.forEach((word, index) => this.#view.setUint32(this.#length + 4 + 4 * index, word, true));
    const at = this.#length + 4 + 4 * words.length;
    quads.forEach((quad, index) => this.#view.setBigUint64(at + 8 * index, quad, true));
    this.#length += size;
    this.#answers ||= ANSWERED.includes(command);
  }

  /** Writes what was added: what is written another way must come later. */
  flush(): void {
    const answers = this.#answers;
    if (this.#length > 0) this.#write(this.take(), answers);
  }

  /** Takes what was added, to be written before anything else. Is good until something is added. */
  take(): Uint8Array {
    const commands = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    this.#answers = this.#isDue = false;
    return commands;
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
