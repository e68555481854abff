import { assert, assertEquals } from "@std/assert";
import { loadVulkan } from "../../../../loader/mod.ts";
import { lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { fuzzFacts } from "../../../../workbench/programs/facts.ts";
import { generateProgram } from "../../../../workbench/programs/generate.ts";
import { openRecording } from "../../../../workbench/recordings/view/open_recording.ts";
import { writeRecording } from "../../../../workbench/layers.ts";
import { count } from "../../../support/counts.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { freshContents } from "./fresh_contents.ts";

/** The number of random programs. No fault is noted that one of them found; fewer than four compare too few pieces. */
const PROGRAMS = count(4, 6);
const DRIVERS = [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const;

for (const [name, driver] of DRIVERS) {
  Deno.test(`contents() at events in any order are those of a replay that ends there, on ${name}`, {
    ...needs(name, driver),
    sanitizeOps: false, // a driver may keep what it has loaded
    sanitizeResources: false,
  }, async () => {
    await withFolderAsync(async (folder) => {
      let compared = 0;
      for (let seed = 1; seed <= PROGRAMS; seed++) {
        const path = `${folder}/${seed}.jsonl`;
        {
          using vulkan = loadVulkan({ driver });
          writeRecording(path, generateProgram(fuzzFacts(vulkan), { seed, actions: 12 }).recording);
        }
        await using recording = openRecording(path, { drivers: [{ driver: driver! }] });
        const actions = recording.events.filter(({ isAction }) => isAction);
        const order = [...actions].sort((one, other) => (one.id * 7919) % 101 - (other.id * 7919) % 101);
        for (const event of order.slice(0, 8)) {
          const fresh = freshContents(driver!, path, event);
          for (const { piece, bytes } of await recording.contents(event.id)) {
            const expected = fresh.get(piece.name)?.bytes;
            if (!expected) continue;
            assertEquals(bytes, expected, `seed ${seed} event ${event.id} ${piece.name}`);
            compared++;
          }
        }
      }
      assert(compared > 50, `${compared} pieces`);
    });
  });
}
