import type { Contents } from "../types.ts";

/** Contents that were read, the latest ones, up to a number of bytes. */
export class LatestContents {
  readonly #most: number;
  readonly #known = new Map<string, Promise<readonly Contents[]>>();
  readonly #sizes = new Map<string, number>();

  /** Keeps up to `most` bytes, and the latest contents in any case. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns contents by their key, and reads those that are not known. A failure is not kept. */
  async of(key: string, read: () => Promise<readonly Contents[]>): Promise<readonly Contents[]> {
    const known = this.#known.get(key) ?? read();
    this.#known.delete(key);
    this.#known.set(key, known);
    try {
      const found = await known;
      this.#sizes.set(key, found.reduce((sum, { bytes }) => sum + bytes.length, 0));
      this.#forget(key);
      return found;
    } catch (error) {
      if (this.#known.get(key) === known) this.#known.delete(key);
      throw error;
    }
  }

  #forget(latest: string): void {
    let sum = this.#sizes.values().reduce((one, other) => one + other, 0);
    for (const key of this.#known.keys()) {
      const size = this.#sizes.get(key);
      if (sum <= this.#most || key === latest) return;
      if (size === undefined) continue; // it is still read
      sum -= size;
      this.#known.delete(key);
      this.#sizes.delete(key);
    }
  }
}
