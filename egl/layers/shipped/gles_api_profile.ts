import {
  addCall,
  counterOf,
  type Counters,
  type ProfileRow,
  rowsOf,
  TIMED,
  type TimedLayer,
} from "../../../loader/layers/shipped/profile/counters.ts";
import { microseconds, prepareClock } from "../../../loader/layers/shipped/native/clock.ts";
import { profileText } from "../../../loader/layers/shipped/profile/text.ts";
import type { GlesLayer } from "../gles_layer.ts";

/** A layer that counts and times calls. */
export interface GlesApiProfile {
  /** The layer, for `layers` of `loadEgl` or for `egl.attach`. */
  readonly layer: GlesLayer;
  /** One row for each command that was called, longest time first. */
  rows(): ProfileRow[];
  /** The rows as a table; with a number from 1, so many at most, those that took the most time, and a line about the rest. */
  text(most?: number): string;
  /** Sets all counts to zero. */
  reset(): void;
}

/**
 * Creates a layer that counts each command's calls, and the time spent in the command and in everything below. Drivers
 * work later than they are called: the time of the work appears in commands that wait, such as glFinish and
 * eglSwapBuffers.
 *
 * @example
 * ```ts
 * import { glesApiProfile } from "@pumice/gfx/gles-layers";
 * import { assertEquals } from "@std/assert";
 *
 * const profile = glesApiProfile();
 * assertEquals(profile.rows(), []);
 * ```
 */
export function glesApiProfile(): GlesApiProfile {
  prepareClock();
  let counters: Counters = new Map();
  const layer: GlesLayer & TimedLayer = {
    name: "glesApiProfile",
    [TIMED]: (command, nanoseconds) => addCall(counterOf(counters, command), nanoseconds / 1e6),
    anyCommand: (command) => (next, ...args) => {
      const begun = microseconds();
      try {
        return next(...args);
      } finally {
        addCall(counterOf(counters, command), (microseconds() - begun) / 1000);
      }
    },
  };
  return {
    layer,
    rows: () => rowsOf(counters),
    text: (most) => counters.size === 0 ? "0 calls" : profileText(rowsOf(counters), [], most),
    reset: () => void (counters = new Map()),
  };
}
