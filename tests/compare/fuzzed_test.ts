import "../support/warm_loader.ts";
import { assert, assertEquals } from "@std/assert";
import { compareDrivers } from "../../compare/mod.ts";
import { endsPass, isAction } from "../../compare/follow/effects.ts";
import { fuzzFacts } from "../../loader/fuzz/facts.ts";
import { generateProgram } from "../../loader/fuzz/generate.ts";
import { type RecordedLine, replayRecording, writeRecording } from "../../loader/layers.ts";
import { loadVulkan, type Vulkan } from "../../loader/mod.ts";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { needs } from "../support/require.ts";
import { withFolderAsync } from "../support/temporary.ts";
import { type Plant, planted } from "./programs/planted_layer.ts";

const LAYER = new URL("programs/planted_layer.ts", import.meta.url).pathname;
const PROGRAMS = 20, ACTIONS = 8;

/** A command that is dropped, and the number of its line. */
interface Dropped extends Plant {
  readonly line: number;
}

/** Commands whose calls are counted alike in a replay: it clears on its own, too. */
function droppable(lines: readonly RecordedLine[]): Dropped[] {
  const counts = new Map<string, number>();
  return lines.flatMap((each, index): Dropped[] => {
    if (!("command" in each)) return [];
    const { command } = each, nth = counts.get(command) ?? 0;
    counts.set(command, nth + 1);
    const isOne = isAction(command) && !endsPass(command) && !/Begin|Clear(Color|DepthStencil)Image/.test(command);
    return isOne ? [{ command, nth, change: "drop", line: index + 2 }] : [];
  });
}

/** What a program reads at its end, on a loader of its own. */
function readBy(driver: string, path: string, plant?: Plant): string {
  using vulkan = loadVulkan({ driver, layers: plant ? [planted(plant)] : [] });
  const read: string[] = [];
  replayRecording(vulkan as Vulkan, path, { onRead: ({ replayed }) => read.push(replayed!.toHex()) });
  return read.join("\n");
}

Deno.test(
  "compareDrivers() names a random command that is dropped from random programs",
  needs("Mesa lavapipe", lavapipePath()),
  async (test) => {
    await withFolderAsync(async (folder) => {
      const driver = lavapipePath()!, vulkan = loadVulkan({ driver }), facts = fuzzFacts(vulkan as Vulkan);
      vulkan.close();
      for (let seed = 0; seed < PROGRAMS; seed++) {
        await test.step(`seed ${seed}`, async () => {
          const { recording } = generateProgram(facts, { seed, actions: ACTIONS }), path = `${folder}/${seed}.jsonl`;
          writeRecording(path, recording);
          const all = droppable(recording.lines), { line, ...plant } = all[seed * 7919 % all.length];
          Deno.env.set("PLANT", JSON.stringify(plant));
          const { finding } = await compareDrivers(path, [{ driver }, { driver, layers: [LAYER] }]);
          // A dropped command may change nothing, such as a draw outside of the scissor.
          if (!finding) return assertEquals(readBy(driver, path, plant), readBy(driver, path), `line ${line}`);
          assert(finding.action !== undefined, JSON.stringify(finding.reason));
          assertEquals([finding.action!.command, finding.action!.line], [plant.command, line]);
        });
      }
    });
  },
);
