import "../../support/warm_loader.ts";
import { assert, assertStringIncludes } from "@std/assert";
import { type ComparedDriver, compareDrivers } from "../../../compare/mod.ts";
import type { DriverDifference } from "../../../compare/finding.ts";
import { provenScript } from "../../../compare/script/proven_script.ts";
import { fuzzFacts } from "../../../loader/fuzz/facts.ts";
import { generateProgram } from "../../../loader/fuzz/generate.ts";
import { readRecording, writeRecording } from "../../../loader/layers.ts";
import { loadVulkan, type Vulkan } from "../../../loader/mod.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { withFolderAsync } from "../../support/temporary.ts";

const LAYER = new URL("../programs/planted_layer.ts", import.meta.url).pathname;
/** A seed whose program differs in several samples, and how many more are tried where the driver has other features. */
const FIRST_SEED = 55, MOST_SEEDS = 40, PATIENCE = 60_000;

/** Writes programs of one draw, until two drivers differ in samples alone. */
async function differingIn(
  folder: string,
  drivers: readonly [ComparedDriver, ComparedDriver],
): Promise<readonly [path: string, finding: DriverDifference]> {
  using vulkan = loadVulkan({ driver: drivers[0].driver });
  const facts = fuzzFacts(vulkan as Vulkan);
  for (let seed = FIRST_SEED; seed < FIRST_SEED + MOST_SEEDS; seed++) {
    const { recording } = generateProgram(facts, { seed, actions: 1, only: ["draw"] }),
      path = `${folder}/${seed}.jsonl`;
    if (!recording.lines.some((line) => "command" in line && line.args.pCreateInfo?.samples > 1)) continue;
    writeRecording(path, recording);
    const { finding } = await compareDrivers(path, drivers);
    if (finding?.differences.every(({ piece }) => (piece.image?.samples ?? 1) > 1)) return [path, finding];
  }
  throw new Error(`none of ${MOST_SEEDS} programs differs in samples alone`);
}

Deno.test(
  "a script reads the sample that differs by a shader, so that its test passes on A and fails on B",
  needs("Mesa lavapipe", lavapipePath()),
  async () => {
    await withFolderAsync(async (folder) => {
      const driver = lavapipePath()!, drivers = [{ driver }, { driver, layers: [LAYER] }] as const;
      Deno.env.set("PLANT", JSON.stringify({ command: "vkCmdDraw", nth: 0, change: "drop" }));
      const [path, finding] = await differingIn(folder, drivers), stream = readRecording(path);
      const [one, other] = drivers.map((each) => ({ ...each, identity: undefined }));
      const source = { stream, finding, drivers: [one, other] as const };
      const script = await provenScript(source, { timeout: PATIENCE, tries: 1 });
      assert("text" in script, JSON.stringify(script));
      assertStringIncludes("text" in script ? script.text : "", "compute({");
    });
  },
);
