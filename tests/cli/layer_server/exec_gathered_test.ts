import { assert, assertEquals, assertMatch } from "@std/assert";
import { replayRecording } from "../../../workbench/layers.ts";
import { recordingInfo } from "../../../workbench/recordings/mod.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { compileProgram } from "../../support/compile.ts";
import { count } from "../../support/counts.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { sumsIn } from "../../workbench/layer_server/writing.ts";
import { exec } from "./exec.ts";

const APP = NEEDS_PROGRAMS.ignore ? "" : compileProgram("writing_app")!;
/** Bytes: all pieces fit what a submission gathers, do so at times, or hardly ever. */
const LARGEST = [3000, 70_000, 200_000];

for (const [index, largest] of LARGEST.entries()) {
  for (const threads of [0, 1]) {
    const whose = threads ? "two threads'" : "one thread's";
    Deno.test(
      `exec --black-box keeps what was in up to ${largest} bytes of memory at ${whose} submissions, though it changed at once`,
      NEEDS_PROGRAMS,
      async () => {
        await withFolderAsync(async (folder) => {
          await Promise.resolve();
          for (let turn = 0; turn < count(1, 6); turn++) {
            const seed = 100 * index + 10 * threads + turn + 1, submissions = largest > 100_000 ? 250 : 1100;
            const line = [APP, ...[seed, submissions, largest, threads].map(String), "crash"];
            const { code, stdout, stderr } = exec(folder, ["--black-box", "--", ...line], {}, folder);
            assertEquals(code, 134, stderr);
            assertMatch(stderr, /the last \d+ submissions, to be replayed/);
            const kept = Number(/the last (\d+) submissions/.exec(stderr)![1]);
            const path = `${folder}/black-box.jsonl`, said = stdout.trim().split("\n").map(Number);
            assertEquals(recordingInfo(path).gaps, []);
            assertEquals(said.length, submissions);
            assert(kept >= Math.min(submissions, 500), `${kept}`);
            assertEquals(sumsIn(path).slice(-kept), said.slice(-kept), `seed ${seed}`);
            replayRecording({ driver: lavapipePath()! }, path);
            Deno.removeSync(path);
            Deno.removeSync(`${path}.data`, { recursive: true });
          }
        });
      },
    );
  }
}
