import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type ReadDifference, verifyRecording } from "../../../../workbench/recordings/mod.ts";
import { readRecording, RecordingError, writeRecording } from "../../../../workbench/layers.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { DemoRecordings } from "../replay/demo_recordings.ts";
import { commandLine } from "../../../support/command_line.ts";
import { needs } from "../../../support/require.ts";
import { withFolder, withFolderAsync } from "../../../support/temporary.ts";

const DEMOS = new DemoRecordings();
const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), driver = lavapipePath()!;

Deno.test("verifyRecording() finds no difference in a true recording", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`;
    DEMOS.write(path, driver);
    const { reads, differences, calls, deviceName } = verifyRecording({ driver }, path);
    assertEquals([reads > 0, differences, calls > 10], [true, [], true]);
    assertStringIncludes(deviceName, "llvmpipe");
  });
});

Deno.test("verifyRecording() finds the line whose bytes the program never read", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`, changed = `${folder}/changed.jsonl`, told: ReadDifference[] = [];
    DEMOS.write(path, driver);
    const stream = readRecording(path), at = stream.lines.findIndex((line) => "read" in line);
    const line = stream.lines[at] as { read: string; offset: number };
    const bytes = new Uint8Array(64).fill(0x5a);
    writeRecording(changed, { ...stream, lines: stream.lines.with(at, { ...line, content: bytes }) });
    const { differences } = verifyRecording({ driver }, changed, { onDifference: (each) => told.push(each) });
    assertEquals(differences, told);
    assertEquals(differences.map(({ line, resource, first }) => [line, resource, first]), [[
      at + 2,
      line.read,
      line.offset,
    ]]);
    assert(differences[0].bytes > 0);
  });
});

Deno.test("verifyRecording() refuses a recording with gaps", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/gap.jsonl`;
    writeRecording(path, { lines: [{ missing: "Nobody saw it" }], data: () => new Uint8Array() });
    const { message } = assertThrows(() => verifyRecording({ driver }, path), RecordingError);
    assertStringIncludes(message, "Nobody saw it");
  });
});

Deno.test(
  "cli recording info and verify tell of a recording, and exit with 1 for one that lies",
  LAVAPIPE,
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/demo.jsonl`, lying = `${folder}/lying.jsonl`;
      DEMOS.write(path, driver);
      const stream = readRecording(path);
      const lines = stream.lines.map((line) => "read" in line ? { ...line, content: new Uint8Array(8).fill(1) } : line);
      writeRecording(lying, { ...stream, lines });
      const info = await commandLine("recording", "info", path);
      assertEquals(info.code, 0, info.text);
      for (
        const words of [
          "demo.jsonl: whole, ",
          "device: ",
          " (submissions, nothing is presented)",
          "\n1 instance, ",
          "no gaps",
        ]
      ) {
        assertStringIncludes(info.text, words);
      }
      const json = await commandLine("recording", "info", path, "--json");
      assertEquals(JSON.parse(json.text).framesEndAt, "submissions");
      const good = await commandLine("recording", "verify", path, `--driver=${driver}`);
      assertEquals([good.code, / 0 of \d+ reads differ/.test(good.text)], [0, true], good.text);
      const bad = await commandLine("recording", "verify", lying, `--driver=${driver}`);
      assertEquals([bad.code, /line \d+: VkBuffer#\d+ has \d+ other bytes/.test(bad.text)], [1, true], bad.text);
    });
  },
);

Deno.test("cli recording says what is wrong with its words, and exits with 2", async () => {
  const rows = [
    [["recording"], "is missing"],
    [["recording", "list", "a.jsonl"], '"list" is not known; give info, verify, trim'],
    [["recording", "toString", "a.jsonl"], '"toString" is not known'],
    [["recording", "info"], "recording info: FILE is missing"],
    [["recording", "info", "/nowhere.jsonl"], '"/nowhere.jsonl" is not there'],
    [["recording", "info", "a", "b"], '"b" is one word too many'],
    [["recording", "trim", "deno.json"], "recording trim: --frames=N..M is missing"],
    [["recording", "trim", "deno.json", "--frames=3..2"], '--frames is "3..2"; give N..M, from 1'],
    [["recording", "trim", "deno.json", "--frames=0"], '--frames is "0"'],
  ] as const;
  for (const [args, words] of rows) {
    const { code, text } = await commandLine(...args);
    assertEquals(code, 2, text);
    assertStringIncludes(text, words);
  }
});
