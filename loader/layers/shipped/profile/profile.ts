import { checkOptions, number, oneOf, type OptionRules } from "../../../../ffi/check_options.ts";
import { defineLayer } from "../../define/define_layer.ts";
import type { AnyHook, Layer } from "../../../layer.ts";
import { endsFrame, type FrameEnd } from "../frames.ts";
import { nanoseconds } from "../native/clock.ts";
import { prepareHooks } from "../native/prepare.ts";
import {
  addCounters,
  type Counter,
  counterOf,
  type Counters,
  frameOf,
  type ProfileFrame,
  type ProfileRow,
  rowsOf,
  TIMED,
  type TimedLayer,
} from "./counters.ts";
import { profileText } from "./text.ts";

export type { ProfileFrame, ProfileRow };

/** Options of {@linkcode apiProfile}. */
export interface ApiProfileOptions {
  /** The end of a frame. Default: `"present"`. */
  readonly frameEnd?: FrameEnd;
  /** The number of frames to keep, counted from the latest. Default: 1000. */
  readonly keep?: number;
}

const RULES: OptionRules<ApiProfileOptions> = {
  frameEnd: oneOf("present", "submit"),
  keep: number,
};

/** A layer that counts and times commands, and the figures. */
export interface ApiProfile {
  /** The layer, for `layers` of `loadVulkan` or `instance.attach`. */
  readonly layer: Layer;
  /** Returns one row per command called so far, most time first. */
  rows(): ProfileRow[];
  /**
   * Returns the latest frames, oldest first. The last one is the frame that has
   * not ended yet, unless nothing was called in it.
   */
  frames(): ProfileFrame[];
  /**
   * Returns a bar for each command and each frame, for a terminal. With a number from 1, a bar for each of so many
   * commands at most, those that took the most time, and a line about the rest.
   */
  text(most?: number): string;
  /** Resets all counters and starts with frame 0. */
  reset(): void;
}

/**
 * Makes a layer that counts every command and sums the time spent in it,
 * including the driver's, in total and for each frame. Time is wall-clock time
 * on the calling thread. The time of a nested command counts in both commands.
 *
 * @example
 * ```ts
 * import { apiProfile } from "@pumice/gfx/layers";
 * import { assertEquals } from "@std/assert";
 *
 * const { layer, rows } = apiProfile();
 * assertEquals(layer.name, "VK_LAYER_PUMICE_api_profile");
 * assertEquals(rows(), []);
 * ```
 */
export function apiProfile(options: ApiProfileOptions = {}): ApiProfile {
  checkOptions("apiProfile()", options, RULES);
  const { frameEnd = "present", keep = 1000 } = options;
  let all: Counters = new Map(), current: Counters = new Map(), frame = 0, ended: [number, Counters][] = [];
  /** Counts frames and resets. Hooks look their counters up again when the number changes, instead of at each call. */
  let era = 0;
  prepareHooks();

  /** Hooks count in the frame alone, and its counters go into all at its end. */
  function endFrame(): void {
    ended.push([frame++, current]);
    if (ended.length > keep) ended.shift();
    addCounters(all, current);
    current = new Map();
    era++;
  }
  /** Returns the function that counts calls of a command. */
  function counting(command: string): (milliseconds: number) => void {
    const ends = endsFrame(frameEnd, command);
    let known = -1, counter: Counter;
    return (milliseconds) => {
      if (known !== era) [known, counter] = [era, counterOf(current, command)];
      counter.calls++;
      counter.milliseconds += milliseconds;
      if (ends) endFrame();
    };
  }
  function anyCommand(command: string): AnyHook {
    const note = counting(command);
    return (next, ...args) => {
      const start = nanoseconds();
      try {
        return next(...args);
      } finally {
        note((nanoseconds() - start) / 1e6);
      }
    };
  }
  const timed = new Map<string, (milliseconds: number) => void>();
  const timer: TimedLayer = {
    [TIMED](command, nanoseconds) {
      let note = timed.get(command);
      if (!note) timed.set(command, note = counting(command));
      note(nanoseconds / 1e6);
    },
  };
  function rows(): ProfileRow[] {
    return rowsOf(addCounters(addCounters(new Map(), all), current));
  }
  function frames(): ProfileFrame[] {
    const begun: [number, Counters][] = current.size > 0 ? [[frame, current]] : [];
    return [...ended, ...begun].map(([number, counters]) => frameOf(number, counters));
  }
  return {
    layer: { ...defineLayer({ name: "VK_LAYER_PUMICE_api_profile", anyCommand }), ...timer },
    rows,
    frames,
    text: (most) => profileText(rows(), frames(), most),
    reset() {
      [all, current, frame, ended] = [new Map(), new Map(), 0, []];
      era++;
    },
  };
}
