import { assert, assertEquals } from "@std/assert";
import type { Counts } from "./programs/counter.ts";

/** The calls for drawing the demo once. */
export const DEMO: Counts = {
  vkCreateImage: 5,
  vkMapMemory: 5,
  vkCmdDraw: 1,
  vkCmdDrawIndexed: 3,
  vkCmdDispatch: 3,
  vkQueueSubmit: 2,
};

/** The least calls of a native layer on its own account; commands not named here it does not call. */
export type Own = Partial<Counts>;

/** Fails unless a TypeScript layer has counted the script's calls and, if it stands below native layers, theirs. */
export function assertCounted(counts: Counts, script: Counts, own: Own, message: string): void {
  for (const [command, count] of Object.entries(counts) as [keyof Counts, number][]) {
    const most = own[command] === undefined ? 0 : Infinity, extra = count - script[command];
    assert(extra >= (own[command] ?? 0) && extra <= most, `${message}: ${command} was counted ${count} times`);
  }
  assertEquals(Object.keys(counts), Object.keys(script));
}
