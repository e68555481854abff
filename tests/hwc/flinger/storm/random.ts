/** Numbers that look random, and are the same for the same seed: mulberry32. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 to 1, 1 excluded. */
  next(): number {
    const seed = this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(seed ^ seed >>> 15, seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  }

  /** A whole number below another. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** Whether something that happens so often happens now. */
  happens(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of these; `undefined` of none. */
  of<Thing>(things: readonly Thing[]): Thing | undefined {
    return things[this.below(things.length)];
  }
}
