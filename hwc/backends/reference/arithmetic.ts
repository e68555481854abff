import type { Step } from "../plan/step.ts";
import type { Pixel, Readable } from "./texel.ts";

/** One way to compute pixels. The meaning of a state's numbers is private to each. */
export interface Arithmetic {
  /** Reads the state of a pixel from the target. */
  load(from: Readable, x: number, y: number, state: Pixel): void;
  /** The state of a pixel of the background's colour, given 0 to 1. */
  fill(color: readonly number[], state: Pixel): void;
  /** A layer's pixel at a place in its frame. */
  sample(step: Step, from: Readable, x: number, y: number, out: Pixel): void;
  /** The pixel of a layer without a buffer. */
  solid(step: Step, out: Pixel): void;
  /** Blends a layer's pixel over the state; may change the pixel. */
  blend(step: Step, pixel: Pixel, state: Pixel): void;
  /** Writes a state down. */
  store(to: Readable, x: number, y: number, state: Pixel): void;
}
