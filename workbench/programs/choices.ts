/** A source of choices. The same source makes the same program. */
export interface Choices {
  /** Returns a whole number between two, both included. */
  integer(min: number, max: number): number;
}

/** Most of what one number of a tape can tell apart. */
const RANGE = 2 ** 32;

/** Returns choices that follow from a seed: any whole number between 0 and 2^32 - 1, and a stream of it. */
export function seededChoices(seed: number, stream = 0): Choices {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(stream + 1, 0xc2b2ae35)) >>> 0;
  const next = () => {
    state = state + 0x6d2b79f5 >>> 0;
    let mixed = Math.imul(state ^ state >>> 15, state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return (mixed ^ mixed >>> 14) >>> 0;
  };
  return { integer: (min, max) => min + Math.floor(next() / RANGE * (max - min + 1)) };
}

/**
 * Returns choices that read a tape of whole numbers. Smaller numbers make
 * smaller choices, and after its end every choice is the smallest: that is how
 * a program shrinks.
 */
export function tapeChoices(tape: readonly number[]): Choices {
  let at = 0;
  return { integer: (min, max) => min + (tape[at++] ?? 0) % (max - min + 1) };
}

/** Picks one of a list, which is not empty. */
export function pick<T>(choices: Choices, list: readonly T[]): T {
  return list[choices.integer(0, list.length - 1)];
}

/** Decides; `false` is the smaller choice. */
export function chance(choices: Choices, percent: number): boolean {
  return choices.integer(0, 99) >= 100 - percent;
}

/** Returns bytes for contents. One choice decides them all, so that a tape stays short. */
export function randomBytes(choices: Choices, count: number): Uint8Array<ArrayBuffer> {
  const source = seededChoices(choices.integer(0, 0xffff_fffe));
  return Uint8Array.from({ length: count }, () => source.integer(0, 255));
}
