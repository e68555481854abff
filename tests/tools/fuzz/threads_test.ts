import { assertEquals, assertStringIncludes } from "@std/assert";
import { seededChoices } from "../../../workbench/programs/choices.ts";
import { type Plan, planThreads } from "../../../tools/fuzz/self_check/steps.ts";
import type { Context } from "../../../tools/fuzz/self_check/program.ts";
import { driverVariables, stepsProgram, threadsCheck } from "../../../tools/fuzz/self_check/threads.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../tools/setup/parts.ts";
import { count } from "../../support/counts.ts";
import { needs } from "../../support/require.ts";
import { run } from "../../support/subprocess.ts";
import { withFolder, withFolderAsync } from "../../support/temporary.ts";

const PROGRAM = stepsProgram(), DRIVERS = [lavapipePath(), swiftshaderPath()] as readonly string[];
const NEEDS = {
  ignore: needs("native programs: x86-64, a C compiler and the Vulkan loader", PROGRAM).ignore ||
    needs("Mesa lavapipe", lavapipePath()).ignore || needs("SwiftShader", swiftshaderPath()).ignore,
};

/** The program of a seed, and the features that it uses. */
function planned(seed: number): { readonly plan: Plan; readonly features: Context["features"] } {
  const context: Context = { choices: seededChoices(seed, 2), seen: [], features: new Map(), buffers: 0 };
  return { plan: planThreads(context), features: context.features };
}

Deno.test("programs with threads have all features", () => {
  const features = new Set(Array.from({ length: 40 }, (_, seed) => [...planned(seed).features.keys()]).flat());
  const all = [
    ...["1 threads", "4 threads", "threads share queues", "a queue for each thread", "commands again"],
    ...["memory of each device", "memory of each thread", "memory of each slot", "buffers of a thread replaced"],
    ...["a wait before the signal", "a wait before the signal in another phase"],
    "a thread writes after the submission that reads, and before its signal",
    ...["submissions handed to another thread", "probing instance of a thread"],
    ...["vkWaitForFences", "vkGetFenceStatus", "vkWaitSemaphores", "vkGetSemaphoreCounterValue", "vkQueueWaitIdle"]
      .map((name) => `threads wait by ${name}`),
    ...["threads wait by vkDeviceWaitIdle", "threads wait by vkGetEventStatus"],
  ];
  assertEquals(all.filter((name) => !features.has(name)), []);
});

Deno.test("programs with threads are valid", {
  ignore: NEEDS.ignore || needs("the validation layer", validationManifest()).ignore,
}, () => {
  withFolder((folder) => {
    const env = {
      ...driverVariables(DRIVERS[0], folder),
      VK_INSTANCE_LAYERS: "VK_LAYER_KHRONOS_validation",
      VK_LAYER_ENABLES: "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
    };
    const said = (text: string) => {
      Deno.writeTextFileSync(`${folder}/plan`, text);
      const once = () => run(PROGRAM!, [`${folder}/plan`, `${folder}/reads`], { env, without: /^VK_/, seconds: 60 });
      let outcome = once();
      // On a busy machine a thread of validation's own comes too late now and then, which validation calls its own fault.
      for (let left = 3; left > 0 && outcome.output.includes("VkSemaphore-state-timeout"); left--) outcome = once();
      return outcome;
    };
    for (const seed of [0, 5, 12, 17]) assertEquals({ seed, ...said(planned(seed).plan.text) }.output, "");
    const { text } = planned(0).plan, wrong = text.replace(/^f (\d+) (\d+) \d+/m, "f $1 $2 1000000");
    assertStringIncludes(said(wrong).output, "VUID-vkCmdFillBuffer-dstOffset-00024");
  });
});

Deno.test(
  "recordings of programs with threads replay to every byte that a thread read",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      for (let seed = 0; seed < count(4, 4, 40); seed++) {
        const { reads, gaps, findings } = await threadsCheck(seed, DRIVERS, folder, PROGRAM!);
        assertEquals({ seed, gaps, findings }, { seed, gaps: [], findings: [] });
        assertEquals(reads, planned(seed).plan.reads.length);
      }
    }),
);

Deno.test(
  "threadsCheck() finds that writes are lost, and how the program ended",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      const lost = await threadsCheck(
        0,
        DRIVERS,
        folder,
        PROGRAM!,
        (lines) => lines.filter((line) => !("write" in line)),
      );
      assertStringIncludes(lost.findings.join("\n"), "of the program (bytes ");
      const { findings } = await threadsCheck(0, DRIVERS, folder, "/bin/false");
      assertEquals(findings, ["the program ended with 1: "]);
    }),
);
