/** Commands of a few words for the driver, one after the other without gaps, written together a moment later. */
export class Commands {
  readonly #write: (commands: Uint8Array) => void;
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** `write` writes commands to the driver. */
  constructor(write: (commands: Uint8Array) => void) {
    this.#write = write;
  }

  /** Adds a command with 32-bit words, then with 64-bit ones. */
  add(command: number, words: readonly number[], quads: readonly bigint[] = []): void {
    if (this.#length === 0) queueMicrotask(() => this.flush());
    const size = 4 + 4 * words.length + 8 * quads.length;
    if (this.#length + size > this.#bytes.length) this.#grow();
    this.#view.setUint32(this.#length, command, true);
    words.forEach((word, index) => this.#view.setUint32(this.#length + 4 + 4 * index, word, true));
    const at = this.#length + 4 + 4 * words.length;
    quads.forEach((quad, index) => this.#view.setBigUint64(at + 8 * index, quad, true));
    this.#length += size;
  }

  /** Writes what was added: what is written another way must come later. */
  flush(): void {
    if (this.#length === 0) return;
    const commands = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    this.#write(commands);
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
