/** Key of a layer's {@linkcode TimedLayer} function. */
export const TIMED: unique symbol = Symbol("timed");

/**
 * A layer of this project whose hooks only measure calls. For programs in other
 * processes, the program itself can measure then, and goes on without waiting.
 */
export interface TimedLayer {
  /** Hears of a call that was made, in place of the hook. */
  readonly [TIMED]?: (command: string, nanoseconds: number) => void;
}
