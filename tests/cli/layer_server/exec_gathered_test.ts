import { assert, assertEquals, assertMatch } from "@std/assert";
import { replayRecording } from "../../../workbench/layers.ts";
import { recordingInfo } from "../../../workbench/recordings/mod.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { compileProgram } from "../../support/compile.ts";
import { count } from "../../support/counts.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { driverManifest, NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { sumsIn } from "../../workbench/layer_server/writing.ts";
import { exec } from "./exec.ts";

const APP = NEEDS_PROGRAMS.ignore ? "" : compileProgram("writing_app")!;
/** Bytes: all pieces fit what a submission gathers, do so at times, or hardly ever. */
const LARGEST = [3000, 70_000, 200_000];
/** The seeds of each size. No fault is noted of more; gather_test.ts tries each way to run out of blocks alone. */
const TURNS = count(1, 1, 6);
/** The message about a command that hangs, after which nothing else is told. */
const UNFINISHED = /did not finish vkCmdCopyBuffer, command 4 of VkCommandBuffer#1 \(line \d+\)/;

for (const [index, largest] of LARGEST.entries()) {
  for (const threads of [0, 1]) {
    const whose = threads ? "two threads'" : "one thread's";
    Deno.test(
      `exec --black-box keeps what was in up to ${largest} bytes of memory at ${whose} submissions, though it changed at once`,
      NEEDS_PROGRAMS,
      async () => {
        await withFolderAsync(async (folder) => {
          await Promise.resolve();
          for (let turn = 0; turn < TURNS; turn++) {
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

Deno.test(
  "the command is named that hangs when commands are submitted again that have ended before",
  NEEDS_PROGRAMS,
  async () => {
    await withFolderAsync(async (folder) => {
      const manifest = driverManifest(folder),
        root = decodeURIComponent(new URL("../../../", import.meta.url).pathname);
      // Another process may read the program's memory, where the marks are, only with all permissions.
      const flags = ["run", "-A", "--no-check", `--import-map=${root}tools/offline_import_map.json`, `${root}cli.ts`];
      const line = ["exec", "--black-box", "--bound=1", "--", APP, "3", "40", "3000", "0", "hangs"];
      const env = { NO_COLOR: "1", VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest };
      const command = new Deno.Command(Deno.execPath(), {
        args: [...flags, ...line],
        cwd: folder,
        env,
        stdout: "null",
        stderr: "piped",
      });
      await using child = command.spawn();
      let said = "", isTold = false;
      for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
        said += text;
        if (isTold || !UNFINISHED.test(said)) continue;
        isTold = true;
        Deno.kill(Number(Deno.readTextFileSync(`${folder}/pid`)), "SIGALRM");
      }
      assertEquals((await child.status).code, 142, said); // 128 and the signal
      assertMatch(said, /vkWaitForFences has not returned in \d s; the last 43 submissions, to be replayed/);
      assertMatch(said, UNFINISHED);
    });
  },
);
