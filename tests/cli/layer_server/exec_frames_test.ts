import { assertEquals, assertMatch } from "@std/assert";
import { recordingInfo, verifyRecording } from "../../../workbench/recordings/mod.ts";
import { readRecording, replayRecording } from "../../../workbench/layers.ts";
import { PageWatch } from "../../../workbench/recordings/record/written_pages.ts";
import { prepareHooks } from "../../../loader/layers/shipped/native/prepare.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { compileProgram } from "../../support/compile.ts";
import { withFolder, withFolderAsync } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";
import { exec } from "./exec.ts";

const APP = NEEDS_PROGRAMS.ignore ? "" : compileProgram("frames_app")!;
const driver = lavapipePath()!;

/** The sums of the GPU's data at each read of a replay, as the program adds them up. */
function sums(path: string): number[] {
  const found: number[] = [];
  replayRecording({ driver }, path, {
    onRead({ replayed }) {
      const words = new Uint32Array(replayed!.slice().buffer);
      found.push(words.reduce((sum, word) => (sum + word) >>> 0, 0));
    },
  });
  return found;
}

/** The part replays to what the program itself read in these frames, and differs nowhere. */
function assertPart(path: string, printed: string, from: number, to: number): void {
  const own = printed.trim().split("\n").filter((line) => /^\d+$/.test(line)).map(Number);
  assertEquals(sums(path), own.slice(from - 1, to));
  const { reads, differences } = verifyRecording({ driver }, path), { gaps, state } = recordingInfo(path);
  assertEquals([reads, differences, gaps, state], [to - from + 1, [], [], "whole"]);
}

Deno.test("cli exec --record --frames keeps frames of a native program, which stand alone", NEEDS_PROGRAMS, () => {
  withFolder((folder) => {
    const path = `${folder}/part.jsonl`;
    const options = [`--record=${path}`, `--driver=${driver}`, "--frames=4..6"];
    const { code, stdout, stderr } = exec(folder, [...options, "--", APP, "9"]);
    assertEquals([code, stderr], [0, ""]);
    assertMatch(stdout, /part\.jsonl: frames 4 to 6, to be replayed\n$/);
    assertPart(path, stdout, 4, 6);
    assertEquals([...Deno.readDirSync(folder)].filter(({ name }) => name.includes("whole")), []);
  });
});

Deno.test("cli exec --record asks the kernel which pages a program has written, and says so", NEEDS_PROGRAMS, () => {
  withFolder((folder) => {
    const path = `${folder}/all.jsonl`;
    const { code, stdout, stderr } = exec(folder, [`--record=${path}`, `--driver=${driver}`, "--", APP, "9"]);
    assertEquals([code, stderr], [0, ""]);
    prepareHooks();
    using watch = PageWatch.open();
    assertEquals(recordingInfo(path).mapped, { [watch ? "userfaultfd" : "comparison"]: 2 });
    assertPart(path, stdout, 1, 9);
    const written = readRecording(path).lines.filter((line) => "write" in line);
    assertEquals(written.length, 9); // four bytes of each frame, and nothing twice
  });
});

Deno.test("cli exec --frames=signal keeps the frames between two SIGUSR2, and all without one", NEEDS_PROGRAMS, () => {
  withFolder((folder) => {
    const path = `${folder}/part.jsonl`, options = [`--record=${path}`, `--driver=${driver}`, "--frames=signal"];
    const { code, stdout, stderr } = exec(folder, [...options, "--", APP, "9", "3", "6"]);
    assertEquals([code, stderr.split("\n")], [
      0,
      [`${path}: begins after frame 2`, `${path}: ends after frame 5`, ""],
    ]);
    assertPart(path, stdout, 3, 5);
    const none = exec(folder, [...options, "--", APP, "2"]);
    assertEquals([none.code, none.stderr.split("\n")[0]], [
      2,
      "exec: no SIGUSR2 came, so that no frame is wanted; all are kept",
    ]);
    assertEquals(sums(`${path}.whole`).length, 2);
  });
});

Deno.test(
  "cli exec --frames keeps frames of vkcube in a window",
  NEEDS_PROGRAMS,
  () =>
    withFolderAsync(async (folder) => {
      await using display = await startXServer();
      const path = `${folder}/cube.jsonl`, options = [`--record=${path}`, `--driver=${driver}`, "--frames=3..4"];
      const { code, stdout, stderr } = exec(folder, [
        ...options,
        "--",
        "vkcube",
        "--c",
        "6",
        "--width",
        "64",
        "--height",
        "64",
      ], {
        DISPLAY: display.display,
      });
      assertEquals(code, 0, stdout + stderr);
      const { frames, framesEndAt, gaps } = recordingInfo(path);
      assertEquals([frames, framesEndAt, gaps], [2, "presents", []]);
      const whole: string[] = [];
      replayRecording({ driver }, path, { onPresent: ({ read }) => whole.push(read().join()) });
      assertEquals(whole.length, 2);
      assertEquals(whole[0] === whole[1], false); // the cube turns
    }),
);
