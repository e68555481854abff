import { assertEquals } from "@std/assert";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { LARGE_FRAME, writeLargeRecording } from "../replay/large_recording.ts";
import { needs } from "../../../support/require.ts";
import { runProgram } from "../../../support/subprocess.ts";
import { withFolder } from "../../../support/temporary.ts";

/** Megabytes of objects that the process may have; the text of the recording alone is longer. */
const HEAP = 32;
const FRAMES = 200;

Deno.test(
  "replaying, comparing and bisecting need less memory than a recording is long",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    withFolder((folder) => {
      const recording = `${folder}/long.jsonl`;
      writeLargeRecording(recording, FRAMES);
      const { code, stdout, stderr } = runProgram(
        "tests/workbench/recordings/compare/programs/long_recording.ts",
        [recording, lavapipePath()!, `${FRAMES}`],
        { flags: [`--v8-flags=--max-old-space-size=${HEAP}`] },
      );
      assertEquals([code, stderr], [0, ""]);
      assertEquals(JSON.parse(stdout), { rests: FRAMES + 1, bytes: (FRAMES + 1) * LARGE_FRAME });
    });
  },
);
