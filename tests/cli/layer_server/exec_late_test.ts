import { assert, assertEquals, assertMatch } from "@std/assert";
import { readRecording, type RecordedLine, replayRecording } from "../../../workbench/layers.ts";
import { recordingInfo } from "../../../workbench/recordings/mod.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";
import { exec, layerModule } from "./exec.ts";

/** Commands whose hooks run late in a program of one thread, as vkcube is. */
const LATE = [
  "vkQueueSubmit",
  "vkWaitForFences",
  "vkResetFences",
  "vkAcquireNextImageKHR",
  "vkQueuePresentKHR",
];

/** Seconds of a processor after which the kernel kills a program that has no end: hundreds of frames, on a busy machine, too. */
const SECONDS = 1;

function count(lines: readonly RecordedLine[], command: string): number {
  return lines.filter((line) => "command" in line && line.command === command).length;
}

Deno.test("a recording of calls that go on before their hooks is the same, line by line", NEEDS_PROGRAMS, async () => {
  await using server = await startXServer();
  await withFolderAsync(async (folder) => {
    await Promise.resolve();
    const hooks = LATE.map((name) => `${name}: (next, ...args) => next(...args)`).join(", ");
    const waiting = layerModule(folder, "waiting", `commands: { ${hooks} }`); // a layer that knows nothing of late hooks
    const linesWith = (name: string, layers: readonly string[]) => {
      const path = `${folder}/${name}.jsonl`, env = { DISPLAY: server.display };
      const options = [`--record=${path}`, ...layers.map((each) => `--layer=${each}`)];
      const { code, stderr } = exec(folder, [...options, "--", "vkcube", "--c", "40", "--present_mode", "0"], env);
      assertEquals(code, 0, stderr);
      assertEquals(recordingInfo(path).gaps, []);
      return readRecording(path).lines.map((line) => JSON.stringify(line));
    };
    const [late, waited] = [linesWith("late", []), linesWith("waited", [waiting])];
    assertEquals(late.length, waited.length);
    // Addresses of the window differ.
    const differing = late.filter((line, index) => line !== waited[index]).map((line) =>
      /"command":"(\w+)"/.exec(line)?.[1]
    );
    assert(differing.every((command) => /Surface/.test(command ?? "")), `${differing}`);
    replayRecording({ driver: lavapipePath()! }, `${folder}/late.jsonl`);
  });
});

Deno.test(
  "exec --black-box keeps all submissions of a program that is killed amid its frames",
  NEEDS_PROGRAMS,
  async () => {
    await using server = await startXServer();
    await withFolderAsync(async (folder) => {
      await Promise.resolve();
      const line = `ulimit -t ${SECONDS}; exec vkcube --present_mode 0 --width 64 --height 64`;
      const options = ["--black-box", "--", "sh", "-c", line], env = { DISPLAY: server.display };
      const { code, stderr } = exec(folder, options, env, folder);
      assertEquals(code, 137, stderr);
      assertMatch(stderr, /black-box\.jsonl: .* ended by SIGKILL; the last \d+ submissions, to be replayed/);
      const path = `${folder}/black-box.jsonl`, { lines } = readRecording(path);
      assertEquals(recordingInfo(path).gaps, []);
      const [submits, presents] = ["vkQueueSubmit", "vkQueuePresentKHR"].map((each) => count(lines, each));
      // The contents at the beginning and the program's texture are submissions without a frame; two frames are in flight.
      assert(
        submits > 20 && presents <= submits && submits - presents <= 4,
        `${submits} submissions, ${presents} presents`,
      );
      replayRecording({ driver: lavapipePath()! }, path);
    });
  },
);
