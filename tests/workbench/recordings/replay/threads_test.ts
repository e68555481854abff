import { assert, assertEquals } from "@std/assert";
import { readRecording, replayRecording } from "../../../../workbench/layers.ts";
import { lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";
import { compileNativeApp } from "../../../loader/install/native_app.ts";
import { runCounted } from "../../../loader/install/run_counted.ts";

const driver = lavapipePath(), app = compileNativeApp("dlopen", "threads_record");
const NEEDS = {
  ignore: needs("Mesa lavapipe", driver).ignore || needs("SwiftShader", swiftshaderPath()).ignore ||
    needs("Vulkan headers and registry", app).ignore,
};
const THREADS = 5, WORDS = 64, FILLS = 8;

/** Runs the program, whose five threads record command buffers at the same time, under a recording layer. */
function recordThreads(path: string, policy: "block" | "record"): Record<string, unknown> {
  const args = [driver!, app!, "libvulkan.so.1", "thread", "1", policy];
  const report = runCounted("native_app", args, { env: { PUMICE_TEST_RECORD: path } });
  assertEquals([report.result, report.right], [0, true]);
  return report;
}

/** The numbers that the program leaves in its buffer. */
function expected(): number[] {
  return Array.from(
    { length: THREADS * WORDS },
    (_, word) => 100 * (Math.floor(word / WORDS) + 1) + Math.floor(word % WORDS / (WORDS / FILLS)),
  );
}

Deno.test(
  "apiRecording() follows all threads of a native program, and replayRecording() does on another driver what they did",
  NEEDS,
  () => {
    withFolder((folder) => {
      const path = `${folder}/threads.jsonl`;
      assertEquals(recordThreads(path, "block").unseen, 0);
      for (const driver of [lavapipePath()!, swiftshaderPath()!]) {
        const left: number[] = [];
        replayRecording({ driver }, path, {
          onSubmit: ({ read }) => left.push(...new Uint32Array(read("VkBuffer#1").slice().buffer)),
        });
        assertEquals(left, expected());
      }
    });
  },
);

Deno.test(
  "apiRecording() says at once that other threads' calls are not recorded, and how they would be",
  NEEDS,
  () => {
    withFolder((folder) => {
      const path = `${folder}/threads.jsonl`, { unseen, said } = recordThreads(path, "record");
      assert(Number(unseen) > THREADS * FILLS, `${unseen}`);
      assert(!readRecording(path).lines.some((line) => "command" in line && line.command === "vkCmdFillBuffer"));
      const [sentence, ...others] = said as string[];
      assert(/^Another thread called vk\w+, which is not recorded; .*otherThreads: "block"/.test(sentence), sentence);
      assertEquals(others, []);
    });
  },
);
