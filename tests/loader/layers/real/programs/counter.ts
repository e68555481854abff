import { defineLayer, type Layer } from "../../../../../loader/mod.ts";

/** The number of calls of each counted command. */
export type Counts = Record<(typeof COUNTED)[number], number>;

/** The commands that draw the demo: images, memory seen by the script, draws, dispatches, submissions. */
const COUNTED = [
  "vkCreateImage",
  "vkMapMemory",
  "vkCmdDraw",
  "vkCmdDrawIndexed",
  "vkCmdDispatch",
  "vkQueueSubmit",
] as const;

/** A layer that counts, and what it has counted. */
export function counter(name: string): { layer: Layer; counts: Counts } {
  const counts = Object.fromEntries(COUNTED.map((command) => [command, 0])) as Counts;
  const count = (command: keyof Counts) => (next: (...args: unknown[]) => unknown, ...args: unknown[]) => {
    counts[command]++;
    return next(...args);
  };
  const commands = Object.fromEntries(COUNTED.map((command) => [command, count(command)]));
  return { layer: defineLayer({ name: `VK_LAYER_TEST_${name}`, commands } as Layer), counts };
}
