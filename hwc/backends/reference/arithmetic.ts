import type { Step } from "../step.ts";
import type { Pixel, Readable } from "./texel.ts";

/** One way to compute pixels. What a state's numbers mean is its own. */
export interface Arithmetic {
  /** The state of a pixel that is there already. */
  load(from: Readable, x: number, y: number, state: Pixel): void;
  /** The state of a pixel of the background's colour, given 0 to 1. */
  fill(color: readonly number[], state: Pixel): void;
  /** A layer's pixel at a place in its frame. */
  sample(step: Step, from: Readable, x: number, y: number, out: Pixel): void;
  /** The pixel of a layer without a buffer. */
  solid(step: Step, out: Pixel): void;
  /** Puts a layer's pixel over what is there; may change it. */
  blend(step: Step, pixel: Pixel, state: Pixel): void;
  /** Writes a state down. */
  store(to: Readable, x: number, y: number, state: Pixel): void;
}
