import { assert, assertEquals } from "@std/assert";
import { defineLayer, type Layer } from "../../../loader/mod.ts";
import { apiRecording, readRecording, type RecordedLine, serveLayers } from "../../../workbench/layers.ts";
import { hasAllSignals } from "../../../workbench/recordings/reduce/sound.ts";
import { CAPTURE, GATHER, LATE, type SplitLayer } from "../../../workbench/layer_server/server/layer_kind.ts";
import { BLOCKS } from "../../../workbench/layer_server/layout.ts";
import { compileForArm64 } from "../../support/arm64.ts";
import { compileProgram } from "../../support/compile.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { emulating, IN_EMULATOR } from "./emulating.ts";
import { driverManifest, NEEDS_PROGRAMS } from "./programs.ts";
import { sumsIn } from "./writing.ts";
import { until } from "../../support/until.ts";

/** A layer that counts captures: from what the program gathered, and while its calls wait. */
class CountingLayer {
  gathered = 0;
  waited = 0;
  readonly layer: Layer & SplitLayer;

  /** `gathers` is whether programs may gather for this layer; each capture of gathered memory takes some milliseconds. */
  constructor(gathers: boolean, milliseconds = 0) {
    const never = new Int32Array(new SharedArrayBuffer(4));
    this.layer = {
      ...defineLayer({ name: "VK_LAYER_TEST_counting", commands: { vkQueueSubmit: (next, ...args) => next(...args) } }),
      [LATE]: () => true,
      [CAPTURE]: (_command, _args, isGathered) => {
        if (isGathered) Atomics.wait(never, 0, 0, milliseconds);
        this[isGathered ? "gathered" : "waited"]++;
      },
      ...gathers ? { [GATHER]: () => NOTHING } : {},
    };
  }
}
const NOTHING = { ranges: [] };

/** Records a program's submissions in this isolate, and compares the contents at each with those that the program had. */
async function recordWriting(
  counting: CountingLayer,
  line: readonly string[],
  own: Record<string, string>,
  [seed, submissions, largest, threads = 0]: readonly number[],
  end = "end",
): Promise<void> {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/written.jsonl`, recording = apiRecording({ path, otherThreads: "block" });
    await using server = await serveLayers({ layers: [recording.layer, counting.layer] });
    const args = [...line.slice(1), ...[seed, submissions, largest, threads].map(String), end];
    const env = server.environment({ ...own, VK_LOADER_LAYERS_DISABLE: "~implicit~" });
    const { code, stdout, stderr } = await new Deno.Command(line[0], { args, env }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    await until("the program has left", () => server.programs <= 0);
    server.drain();
    recording.close();
    assertEquals([recording.error, recording.gaps, server.lostCalls], [undefined, [], 0]);
    const { lines } = readRecording(path), chained = new Set(lines.flatMap(chainOf));
    assertEquals(hasAllSignals(lines), true);
    assertEquals(chained.size, end === "calm" ? 0 : 2, [...chained].join());
    assertEquals(sumsIn(path), new TextDecoder().decode(stdout).trim().split("\n").map(Number));
    assert(counting.gathered + counting.waited <= submissions);
  });
}

/** The structs behind the first one of a submission. */
function chainOf(line: RecordedLine): string[] {
  if (!("command" in line) || line.command !== "vkQueueSubmit") return [];
  return (line.args.pSubmits[0].pNext ?? []).map(({ sType }: { sType: string }) => sType);
}

async function onThisProcessor(counting: CountingLayer, numbers: readonly number[], end?: string): Promise<void> {
  await withFolderAsync(async (folder) => {
    const manifest = driverManifest(folder), env = { VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest };
    await recordWriting(counting, [compileProgram("writing_app")!], env, numbers, end);
  });
}

/** Whether most of 300 submissions of one struct, with a chain that fits a note, were gathered: 229 on average. */
function isMost(gathered: number): boolean {
  return gathered > 205 && gathered < 252;
}

Deno.test("submissions go on with what the program gathered itself", NEEDS_PROGRAMS, async () => {
  const counting = new CountingLayer(true);
  await onThisProcessor(counting, [11, 300, 3000]);
  // Calls with two structs do not fit a note: their hooks run before, without a capture.
  assert(counting.waited < 30 && isMost(counting.gathered), `${counting.waited} waited, ${counting.gathered} did not`);
});

Deno.test(
  "submissions go on while another thread waits for them, and come before that wait in a recording",
  NEEDS_PROGRAMS,
  async () => {
    const counting = new CountingLayer(true);
    await onThisProcessor(counting, [16, 300, 3000, 2]);
    assert(
      counting.waited < 30 && isMost(counting.gathered),
      `${counting.waited} waited, ${counting.gathered} did not`,
    );
  },
);

Deno.test("submissions wait for a layer that must capture itself", NEEDS_PROGRAMS, async () => {
  const counting = new CountingLayer(false);
  await onThisProcessor(counting, [12, 100, 3000]);
  assertEquals(counting.gathered, 0);
});

Deno.test("submissions wait while more memory is mapped than a block holds", NEEDS_PROGRAMS, async () => {
  const counting = new CountingLayer(true);
  await onThisProcessor(counting, [22, 100, 150_000]);
  assert(counting.waited > 10 && counting.gathered > 0, `${counting.waited} waited, ${counting.gathered} did not`);
});

Deno.test(
  "a program that is ahead of the layers by all blocks waits for them, and nothing is lost",
  NEEDS_PROGRAMS,
  async () => {
    const counting = new CountingLayer(true, 15);
    await onThisProcessor(counting, [14, 4 * BLOCKS, 2000], "calm");
    assert(
      counting.waited > 0 && counting.gathered > 2 * BLOCKS,
      `${counting.waited} waited, ${counting.gathered} did not`,
    );
  },
);

Deno.test("an AArch64 program gathers, too", IN_EMULATOR, async () => {
  await withFolderAsync(async (folder) => {
    const { line, env } = emulating(folder, compileForArm64(folder, "writing_app")), counting = new CountingLayer(true);
    await recordWriting(counting, ["timeout", ...line], { ...Deno.env.toObject(), ...env }, [15, 120, 3000]);
    assert(counting.waited < 20 && counting.gathered > 70, `${counting.waited} waited, ${counting.gathered} did not`);
  });
});
