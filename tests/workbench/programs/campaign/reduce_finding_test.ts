import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fuzzDrivers, type FuzzRun } from "../../../../workbench/programs/campaign/fuzz.ts";
import type { ReducedFinding } from "../../../../workbench/programs/campaign/reduce_finding.ts";
import { fuzzFacts } from "../../../../workbench/programs/facts.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const LAYER = new URL("../../../cli/programs/other_fill.ts", import.meta.url).pathname;

/** The reduction of one program that fills. */
async function reduced(out: string, validation: string | false): Promise<ReducedFinding | string> {
  const driver = lavapipePath()!,
    run: FuzzRun = {
      only: ["fill"],
      actions: 4,
      seed: 7,
      duration: 0,
      programs: 1,
      timeout: 20_000,
      known: [],
      out,
      reduces: { timeout: 20_000, validation, budget: 600_000 },
    };
  using vulkan = loadVulkan({ driver });
  const { findings } = await fuzzDrivers([{ driver }, { driver, layers: [LAYER] }], fuzzFacts(vulkan), run);
  return findings[0].reduced!;
}

Deno.test(
  "a page that cannot be written leaves the smaller program and the script, and says why",
  LAVAPIPE,
  async () => {
    await withFolderAsync(async (out) => {
      const page = `${out}/seed-7.small.html`;
      Deno.mkdirSync(page);
      const found = await reduced(out, false);
      if (typeof found === "string") throw new Error(found);
      assertEquals([found.file, found.script, found.commands[1]], [
        `${out}/seed-7.small.jsonl`,
        `${out}/seed-7.small.ts`,
        1,
      ]);
      assertStringIncludes(found.page!, `"${page}" is a folder; give a file`);
      assertEquals([...Deno.readDirSync(page)], []);
    });
  },
);

Deno.test("a validation layer that is named and not there is why a program is not made smaller", LAVAPIPE, async () => {
  await withFolderAsync(async (out) => {
    const found = await reduced(out, "VK_LAYER_TEST_nowhere");
    assert(typeof found === "string");
    assertStringIncludes(found, 'Cannot find layer "VK_LAYER_TEST_nowhere"');
  });
});
