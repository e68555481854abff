import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { recordingInfo, verifyRecording } from "../../../workbench/recordings/mod.ts";
import { RecordingError, replayRecording } from "../../../workbench/layers.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { APP, NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { commandLine } from "../../support/command_line.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { exec } from "./exec.ts";

Deno.test(
  "cli exec --record names in the recording that no layer saw some calls, and every reader of the recording tells",
  NEEDS_PROGRAMS,
  () =>
    withFolderAsync(async (folder) => {
      const path = `${folder}/waits.jsonl`, driver = `--driver=${lavapipePath()}`;
      const { code, stdout, stderr } = exec(folder, [`--record=${path}`, "--", APP!, "waits", "1000"]);
      const [, count] = /: (\d+) calls were seen by no layer/.exec(stderr) ?? [];
      assertEquals([code, stdout], [1, "1000 waits timed out, 100 buffers\n"], stderr);
      assert(Number(count) > 0, stderr);
      const sentence = `No layer saw ${count} calls of the program: they came too fast, or too many waited at a time`;
      assertStringIncludes(stderr, `${path}: cannot be replayed: ${sentence}`);
      const { gaps, state, lines } = recordingInfo(path);
      assertEquals([gaps.map((gap) => gap.sentence), state], [[sentence], "whole"]);
      assertEquals(gaps[0].line, lines + 1); // the header is line 1
      assertThrows(() => replayRecording({}, path), RecordingError, sentence);
      assertThrows(() => verifyRecording({}, path), RecordingError, sentence);
      const info = await commandLine("recording", "info", path);
      assertEquals([info.code, info.text.includes(sentence)], [1, true], info.text);
      const commands = { replay: [path, driver], compare: [path, driver, driver], recording: ["verify", path] };
      for (const [command, words] of Object.entries(commands)) {
        const told = runProgram("cli.ts", [command, ...words], { seconds: 60 });
        assertEquals(told.code, 2, told.output);
        assertStringIncludes(told.stderr, sentence);
        assertMatch(told.stderr, new RegExp(`line ${gaps[0].line}\\b`));
      }
    }),
);
