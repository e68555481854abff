import { NativeFile } from "../../../loader/layers/shipped/native/file.ts";

/** Bytes that are gathered at most before they are written. */
const MOST = 1 << 16;
const encoder = new TextEncoder();

/**
 * A file whose text may be gathered in this process, and written when there is time: the program that the text is about
 * is another process, so that its crash loses nothing.
 */
export class GatheredFile extends NativeFile {
  /** Whether text is gathered until {@linkcode GatheredFile.flush}. At first it is written at once. */
  isGathering = false;
  readonly #bytes = new Uint8Array(MOST);
  #used = 0;
  #error: unknown;

  /** Bytes of the file, with those that are gathered. */
  override get size(): number {
    return super.size + this.#used;
  }

  /** Gathers text, or writes it. Throws an `Error` if the system refuses, also for text that was gathered before. */
  override writeText(text: string): void {
    if (this.#error !== undefined) throw this.#error;
    if (this.#used + 3 * text.length > MOST) this.flush();
    if (!this.isGathering || 3 * text.length > MOST) return super.writeText(text);
    this.#used += encoder.encodeInto(text, this.#bytes.subarray(this.#used)).written;
  }

  /** See {@linkcode NativeFile.cutTo}. */
  override cutTo(size: number): boolean {
    const written = super.size;
    if (size < written) {
      this.#used = 0;
      return super.cutTo(size);
    }
    this.#used = size - written;
    return true;
  }

  /** Writes what is gathered. Throws an `Error` if the system refuses: then nothing of it is in the file. */
  flush(): void {
    if (this.#used === 0) return;
    const bytes = this.#bytes.subarray(0, this.#used), before = super.size;
    this.#used = 0;
    try {
      this.write(bytes);
    } catch (error) {
      super.cutTo(before);
      throw this.#error = error;
    }
  }

  /** Writes what is gathered, and closes the file. */
  override close(): void {
    try {
      this.flush();
    } finally {
      super.close();
    }
  }
}
