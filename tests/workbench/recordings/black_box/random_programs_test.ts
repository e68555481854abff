import { assert, assertEquals, assertMatch } from "@std/assert";
import { blackBox } from "../../../../workbench/layers.ts";
import { verifyRecording } from "../../../../workbench/recordings/mod.ts";
import { manifestOf } from "../../../../workbench/recordings/black_box/read_ring.ts";
import { seededChoices } from "../../../../workbench/programs/choices.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { judged } from "../../../../tools/fuzz/self_check/check.ts";
import { chooseMachine } from "../../../../tools/fuzz/self_check/machine.ts";
import { memoryKinds } from "../../../../tools/fuzz/self_check/memory_kinds.ts";
import { runProgram } from "../../../../tools/fuzz/self_check/program.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { count } from "../../../support/counts.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";

/** The submissions that are kept: so few that contents are read back again and again. */
const SUBMISSIONS = 1;

/** The number of random programs: the same ones each time, of which 200 were right. */
const PROGRAMS = count(5, 30, 200);

/** The recording that a black box wrote of the random program of a seed. */
function outcomeOf(seed: number, folder: string, mebibytes = 512) {
  using machine = chooseMachine(seededChoices(seed, 1), [lavapipePath()!]);
  const kinds = memoryKinds(), { options } = machine, target = { ...options, layers: [kinds] };
  using box = blackBox({ path: `${folder}/${seed}.jsonl`, submissions: SUBMISSIONS, mebibytes });
  const { seen } = (() => {
    using vulkan = loadVulkan({ ...options, layers: [...box.layers, kinds] });
    return runProgram(vulkan, seed);
  })();
  const { path, trouble, unsaved } = box.save("the program is over"),
    { state } = manifestOf(`${folder}/${seed}.jsonl.ring`)!;
  assertEquals([box.error, trouble, box.gaps], [undefined, undefined, []], `seed ${seed}`);
  const { reads, differences } = verifyRecording(target, path);
  const { findings } = judged({ recording: box, path, target, seen, plant: (lines) => lines });
  // The reads of the program before the part begins are not in the part.
  const own = findings.filter((each) => !/marks of the program are not in the recording$/.test(each));
  return {
    isPart: state !== undefined,
    unsaved,
    reads,
    wrong: [...differences.map((each) => JSON.stringify(each)), ...own],
  };
}

Deno.test(
  "what a black box writes of random programs reads what the programs read themselves",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    withFolder((folder) => {
      const outcomes = Array.from({ length: PROGRAMS }, (_, seed) => ({ seed, ...outcomeOf(seed, folder) }));
      assertEquals(outcomes.filter(({ wrong }) => wrong.length > 0), []);
      const parts = outcomes.filter(({ isPart, reads }) => isPart && reads > 0).length;
      assert(parts > outcomes.length / 2, `only ${parts} recordings begin amid their programs`);
    });
  },
);

Deno.test(
  "contents without room are told, and reads show that they are missing",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    withFolder((folder) => {
      const { unsaved, wrong } = outcomeOf(0, folder, 0.02);
      assert(wrong.length > 0);
      assertMatch(Object.values(unsaved)[0], /^\d+ bytes are more than the black box has room for; give it more$/);
    });
  },
);
