import { defineLayer } from "./define_layer.ts";
import type { Layer } from "../layer.ts";

/** What a profile knows of one command. */
export interface ProfileRow {
  /** The command. */
  readonly command: string;
  /** How often it was called. */
  readonly calls: number;
  /** Milliseconds spent in it and everything below, in all. */
  readonly milliseconds: number;
}

/** A layer that counts and times commands, and what it found. */
export interface Profile {
  /** The layer, for `layers` of `loadVulkan` or `instance.attach`. */
  readonly layer: Layer;
  /** One row per command called so far, most time first. */
  rows(): ProfileRow[];
  /** Forgets what was counted. */
  reset(): void;
}

interface Counter {
  calls: number;
  milliseconds: number;
}

/**
 * Makes a layer that counts every command and adds up the time spent in it,
 * the driver's included. Time is wall-clock on the calling thread.
 *
 * @example
 * ```ts
 * import { profile } from "@pumice/gfx/loader";
 * import { assertEquals } from "@std/assert";
 *
 * const { layer, rows } = profile();
 * assertEquals(layer.name, "VK_LAYER_PUMICE_profile");
 * assertEquals(rows(), []);
 * ```
 */
export function profile(): Profile {
  const counters = new Map<string, Counter>();
  return {
    layer: defineLayer({
      name: "VK_LAYER_PUMICE_profile",
      anyCommand(command) {
        return (next, ...args) => time(counters, command, () => next(...args));
      },
    }),
    rows: () =>
      [...counters].map(([command, counter]) => ({ command, ...counter }))
        .sort((a, b) => b.milliseconds - a.milliseconds),
    reset: () => counters.clear(),
  };
}

function time<T>(counters: Map<string, Counter>, command: string, call: () => T): T {
  const start = performance.now();
  try {
    return call();
  } finally {
    const counter = counters.get(command) ?? { calls: 0, milliseconds: 0 };
    counter.calls++;
    counter.milliseconds += performance.now() - start;
    counters.set(command, counter);
  }
}
