import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { arbitraryProgram, fuzzFacts, type FuzzProgram } from "../../../workbench/programs/mod.ts";
import { defineLayer, loadVulkan, type Vulkan } from "../../../loader/mod.ts";
import { readRecording, replayRecording, writeRecording } from "../../../workbench/layers.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import otherFill from "../../cli/programs/other_fill.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), driver = lavapipePath();

/** Every byte that a program reads. */
function read(vulkan: Vulkan, recording: FuzzProgram["recording"]): number[][] {
  const found: number[][] = [];
  replayRecording(vulkan, recording, { onRead: ({ replayed }) => void found.push([...replayed ?? []]) });
  return found;
}

Deno.test("property: a program reads the same twice, and as many results as it names", LAVAPIPE, () => {
  using vulkan = loadVulkan({ driver });
  const same = fc.property(arbitraryProgram(fc, fuzzFacts(vulkan), { actions: 5 }), ({ recording, results }) => {
    const once = read(vulkan, recording);
    assertEquals(once.map(({ length }) => length), results.map(({ size }) => size));
    assertEquals(read(vulkan, recording), once);
  });
  fc.assert(same, { numRuns: 12, seed: 3 });
});

Deno.test(
  "property: a program keeps its results in a file, and below a layer that passes everything on",
  LAVAPIPE,
  () => {
    const layer = defineLayer({
      name: "VK_LAYER_TEST_passing",
      commands: { vkCmdDraw: (next, ...args) => next(...args) },
    });
    using bare = loadVulkan({ driver });
    using layered = loadVulkan({ driver, layers: [layer] });
    const kept = fc.property(
      arbitraryProgram(fc, fuzzFacts(bare), { actions: 5 }),
      ({ recording }) =>
        withFolder((folder) => {
          writeRecording(`${folder}/program.jsonl`, recording);
          assertEquals(read(layered, readRecording(`${folder}/program.jsonl`)), read(bare, recording));
        }),
    );
    fc.assert(kept, { numRuns: 12, seed: 4 });
  },
);

Deno.test("property: a layer's fault shrinks to a program of one action that shows it", LAVAPIPE, () => {
  using bare = loadVulkan({ driver });
  using faulty = loadVulkan({ driver, layers: [otherFill] });
  const isSame = ({ recording }: FuzzProgram) => `${read(bare, recording)}` === `${read(faulty, recording)}`;
  const found = fc.check(fc.property(arbitraryProgram(fc, fuzzFacts(bare), { actions: 8 }), isSame), { seed: 5 });
  assert(found.failed, "the fault was not found");
  const [{ actions, recording }] = found.counterexample!;
  assertEquals(actions, [{ kind: "fill", format: "buffer" }]);
  const buffers = [...recording.lines].filter((line) => "command" in line && line.command === "vkCreateBuffer");
  assertEquals(buffers.length, 2, "the one that is filled, and the one that is read");
});
