import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { createRenderer } from "../../../../examples/draw/renderer.ts";
import { recordingInfo, trimRecording, verifyRecording } from "../../../../workbench/recordings/mod.ts";
import type { VulkanOptions } from "../../../../loader/mod.ts";
import { readRecording, type RecordedLine, RecordingError, writeRecording } from "../../../../workbench/layers.ts";
import { selfCheck } from "../../../../tools/fuzz/self_check/check.ts";
import { memoryKinds } from "../../../../tools/fuzz/self_check/memory_kinds.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { recorded } from "../replay/recorded.ts";
import { commandLine } from "../../../support/command_line.ts";
import { needs } from "../../../support/require.ts";
import { runProgram } from "../../../support/subprocess.ts";
import { withFolder, withFolderAsync } from "../../../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), driver = lavapipePath()!;

/** Records some frames of the demo. */
function recordFrames(path: string, count: number): void {
  recorded(path, { driver }, (instance) => {
    using renderer = createRenderer(instance.vkEnumeratePhysicalDevices()[0], { width: 64, height: 36 }, () => {});
    for (let frame = 0; frame < count; frame++) renderer.draw(frame);
  });
}

function commandsOf(lines: readonly RecordedLine[], command: string): number {
  return lines.filter((line) => "command" in line && line.command === command).length;
}

Deno.test(
  "trimRecording() returns a frame that stands alone: replayed, it reads what the program read",
  LAVAPIPE,
  () => {
    withFolder((folder) => {
      const path = `${folder}/demo.jsonl`, part = `${folder}/part.jsonl`;
      recordFrames(path, 3);
      const { frames } = recordingInfo(path), whole = readRecording(path).lines;
      const { recording, savedBytes, unsaved, to } = trimRecording({ driver }, path, { from: frames, to: frames });
      writeRecording(part, recording);
      const { reads, differences } = verifyRecording({ driver }, part);
      assertEquals([reads, differences, [...unsaved], to], [1, [], [], frames]);
      assert(savedBytes > 64 * 36 * 4, `${savedBytes} bytes`);
      assert(commandsOf(recording.lines, "vkCmdDraw") < commandsOf(whole, "vkCmdDraw"));
      assertEquals(recordingInfo(part).gaps, []);
    });
  },
);

Deno.test("trimRecording() without the saved contents would lose what earlier frames drew", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`, part = `${folder}/part.jsonl`;
    recordFrames(path, 2);
    const { frames } = recordingInfo(path);
    const { recording } = trimRecording({ driver }, path, { from: frames, to: frames });
    const lines = recording.lines.filter((line) => !("write" in line) && !isCopyIn(line));
    writeRecording(part, { ...recording, lines });
    assertEquals(verifyRecording({ driver }, part).differences.length, 1);
  });
});

function isCopyIn(line: RecordedLine): boolean {
  return "command" in line && /^vkCmdCopyBuffer/.test(line.command);
}

Deno.test("trimRecording() keeps the state of fences, semaphores, events and command buffers", LAVAPIPE, () => {
  withFolder((folder) => {
    const target = { driver, layers: [memoryKinds()] }, outcomes: string[] = [];
    for (let seed = 200; seed < 216; seed++) {
      const { gaps, findings, drivers } = selfCheck(seed, [driver], folder), path = `${folder}/${seed}.jsonl`;
      if (gaps.length > 0 || findings.length > 0 || drivers.length > 1) continue;
      const { frames } = recordingInfo(path), from = Math.ceil((frames + 1) / 2);
      if (from > 1) outcomes.push(trimmedOutcome(target, path, from));
    }
    assertEquals([...new Set(outcomes)].filter((each) => each !== "true" && each !== "waits"), []);
    assert(outcomes.filter((each) => each === "true").length > 3, outcomes.join());
  });
});

/** Whether a part of a recording is true, or begins where the device waits for the host. */
function trimmedOutcome(target: VulkanOptions, path: string, from: number): string {
  const part = `${path}.part.jsonl`;
  try {
    writeRecording(part, trimRecording(target, path, { from, to: 1000 }).recording);
  } catch (error) {
    if ((error as Error).message.endsWith("which the program gives later; take another frame")) return "waits";
    throw error;
  }
  const { differences } = verifyRecording(target, part);
  return differences.length === 0 ? "true" : `${path}: ${JSON.stringify(differences[0])}`;
}

Deno.test("trimRecording() keeps the first frames as they are, and ends where the recording ends", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`;
    recordFrames(path, 2);
    const { lines } = readRecording(path), { frames } = recordingInfo(path);
    const { recording, to, savedBytes } = trimRecording({ driver }, path, { from: 1, to: frames + 5 });
    assertEquals([recording.lines, to, savedBytes], [lines, frames, 0]);
    const { message } = assertThrows(
      () => trimRecording({ driver }, path, { from: frames + 1, to: frames + 1 }),
      RecordingError,
    );
    assertStringIncludes(message, `it has ${frames} frames, and none is ${frames + 1}`);
    for (const [from, to] of [[0, 1], [1.5, 2], [2, 1]]) {
      assertThrows(() => trimRecording({ driver }, path, { from, to }), TypeError);
    }
  });
});

Deno.test("cli recording trim writes a part", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/demo.jsonl`, out = `${folder}/part.jsonl`;
    recordFrames(path, 2);
    const { frames } = recordingInfo(path), words = ["recording", "trim", path, `--driver=${driver}`, `--out=${out}`];
    const { code, text } = await commandLine(...words, `--frames=${frames}`);
    assertEquals(code, 0, text);
    assertStringIncludes(text, `part.jsonl: frames ${frames} to ${frames}, `);
    assertEquals(recordingInfo(out).state, "whole");
  });
});

Deno.test("cli record --frames keeps the frames that it names, and nothing of the whole recording", LAVAPIPE, () => {
  withFolder((folder) => {
    const script = `${folder}/frames.ts`, out = `${folder}/part.jsonl`, root = new URL("../../../../", import.meta.url);
    Deno.writeTextFileSync(
      script,
      `import { createRenderer } from "${root}examples/draw/renderer.ts";
import { loadVulkan } from "${root}loader/mod.ts";
using vulkan = loadVulkan({ driver: ${JSON.stringify(driver)} });
using instance = vulkan.vkCreateInstance({});
using renderer = createRenderer(instance.vkEnumeratePhysicalDevices()[0], { width: 64, height: 36 }, () => {});
for (let frame = 0; frame < 2; frame++) renderer.draw(frame);
`,
    );
    const words = ["record", script, `--out=${out}`, `--driver=${driver}`, "--frames=3"];
    const { code, output } = runProgram("cli.ts", words, { flags: ["--no-check"] });
    assertEquals(code, 0, output);
    assertStringIncludes(output, "part.jsonl: frames 3 to 3, to be replayed");
    assertEquals([...Deno.readDirSync(folder)].filter(({ name }) => name.includes("whole")), []);
    assertEquals(verifyRecording({ driver }, out).differences, []);
  });
});
