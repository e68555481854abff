/** The shortest and the longest look, in milliseconds. A longer one would cost more than the sleep that it saves. */
const LEAST = 0.02, MOST = 0.2;
/** Looks between two glances at the clock. */
const BATCH = 64;
/** The number of sleeps for which looks stay short at most. */
const SHY_MOST = 255;

/**
 * The time for which this thread looks for news before it sleeps. Waking a thread takes some ten microseconds, and more
 * on virtual machines. Looks are long while news come soon after the last ones, and short while they do not. Looks are
 * short, too, where long ones were in vain although the news came soon after: the sender needed this processor.
 */
export class Lookout {
  #longest = LEAST;
  /** The number of sleeps for which looks stay short from now on, and the number of the last time. */
  #shy = 0;
  #lastShy = 0;

  /** The length of the next look, in milliseconds. */
  get longest(): number {
    return this.#longest;
  }

  /** Looks at a word until it differs from a value. Returns whether that happened in time. */
  look(words: Int32Array, index: number, value: number): boolean {
    if (isChanged(words, index, value)) return true;
    const since = performance.now();
    for (let took = 0; took < this.#longest; took = performance.now() - since) {
      if (!isChanged(words, index, value)) continue;
      if (took > LEAST) this.#lastShy >>= 1;
      return true;
    }
    return false;
  }

  /** Learns from a sleep of so many milliseconds after a look in vain. */
  slept(milliseconds: number): void {
    const isSoon = this.#longest + milliseconds < MOST;
    if (!isSoon) this.#longest = Math.max(LEAST, this.#longest / 2);
    else if (this.#longest > LEAST) this.#beShy();
    else if (this.#shy > 0) this.#shy--;
    else this.#longest = MOST;
  }

  /** Makes looks short: a long look was in vain although the news came soon. */
  #beShy(): void {
    this.#longest = LEAST;
    this.#shy = this.#lastShy = Math.min(2 * this.#lastShy + 1, SHY_MOST);
  }
}

function isChanged(words: Int32Array, index: number, value: number): boolean {
  for (let look = 0; look < BATCH; look++) if (Atomics.load(words, index) !== value) return true;
  return false;
}
