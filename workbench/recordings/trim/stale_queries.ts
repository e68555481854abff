import type { RecordedLine } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import type { StateTracker } from "../state_tracker/state_tracker.ts";

/** Commands that give queries new results. */
const ASKS = /^vkCmd(EndQuery|WriteTimestamp|WriteAccelerationStructuresProperties)/;

/**
 * Returns the lines of a part without those that wait for queries from before
 * the part, whose results are gone, and the names of their pools. The state tracker
 * has noted all lines before.
 *
 * @throws {TypeError} if the device itself copies such results.
 */
export function withoutStaleQueries(
  tracker: StateTracker,
  part: readonly RecordedLine[],
): { lines: RecordedLine[]; pools: ReadonlySet<string> } {
  const stale = new Set(tracker.resources.named(/^VkQueryPool#/)), pools = new Set<string>();
  const lines = part.filter((line, index) => {
    if (!("command" in line)) return true;
    const core = coreName(line.command), { queryPool } = line.args;
    tracker.note(index, line);
    if (core.startsWith("vkQueueSubmit")) {
      tracker.submit(line, ({ call: { command, args } }) => {
        if (ASKS.test(command)) stale.delete(args.queryPool);
        if (command === "vkCmdCopyQueryPoolResults" && stale.has(args.queryPool)) {
          throw new TypeError(`the device copies results of ${args.queryPool} from before; take an earlier frame`);
        }
      });
    }
    if (core !== "vkGetQueryPoolResults" || !stale.has(queryPool)) return true;
    pools.add(queryPool);
    return false;
  });
  return { lines, pools };
}
