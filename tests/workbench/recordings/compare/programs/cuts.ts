/**
 * Replays every cut of every submission of generated programs under validation:
 * `cuts.ts DRIVER FROM TO ACTIONS`. Prints what validation says, by seed,
 * submission and number of actions.
 *
 * @module
 */
import { actionsOf, isSubmission } from "../../../../../workbench/recordings/compare/driver_process/cut.ts";
import { runStream } from "../../../../../workbench/recordings/compare/driver_process/run.ts";
import { StateTracker } from "../../../../../workbench/recordings/state_tracker/state_tracker.ts";
import { fuzzFacts } from "../../../../../workbench/programs/facts.ts";
import { generateProgram } from "../../../../../workbench/programs/generate.ts";
import type { RecordedStream } from "../../../../../workbench/layers.ts";
import { loadVulkan } from "../../../../../loader/mod.ts";

const [driver, from, to, actions] = Deno.args, said: Record<string, string[]> = {};
using bare = loadVulkan({ driver });
const facts = fuzzFacts(bare);
using vulkan = loadVulkan({ driver, layers: ["VK_LAYER_KHRONOS_validation"] });
let cuts = 0;
for (let seed = Number(from); seed < Number(to); seed++) {
  const { recording } = generateProgram(facts, { seed, actions: Number(actions), reads: "none" });
  for (const [submission, count] of countsOf(recording).entries()) {
    for (let taken = 0; taken <= count; taken++) {
      const errors: string[] = [], cut = { submission, actions: taken };
      cuts++;
      runStream(vulkan, recording, {
        timeout: 60_000,
        cut,
        only: [],
        onError: (message) => errors.push(message),
        onRest: () => true,
      });
      if (errors.length > 0) said[`${seed} ${submission} ${taken}`] = errors;
    }
  }
}
console.log(JSON.stringify({ cuts, said }));

/** The number of actions of each submission. */
function countsOf({ lines }: RecordedStream): number[] {
  const tracker = new StateTracker(), counts: number[] = [];
  for (const [index, line] of [...lines].entries()) {
    tracker.note(index, line);
    if (!isSubmission(line)) continue;
    counts.push(actionsOf(tracker, line).length);
    tracker.submit(line);
  }
  return counts;
}
