import { assert, assertEquals, assertMatch } from "@std/assert";
import type { GpuTestReport } from "../../../../workbench/runs/testing/mod.ts";
import { vkjson } from "../../../../loader/vkjson/vkjson.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { runTests } from "../../../support/subprocess.ts";
import { withFolder } from "../../../support/temporary.ts";

const PROGRAM = "tests/workbench/runs/testing/programs/as_twins.ts";

Deno.test(
  "gpuTest() runs a test on each twin, with a line for each in the report",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    withFolder((folder) => {
      const source = vkjson({ driver: lavapipePath()! }), report = `${folder}/report.json`;
      const write = (name: string, change: (limits: Record<string, unknown>) => void) => {
        const copy = structuredClone(source);
        change((copy.devices[0].properties as { limits: Record<string, unknown> }).limits);
        Deno.writeTextFileSync(`${folder}/${name}.json`, JSON.stringify(copy));
        return `${folder}/${name}.json`;
      };
      const twins = [
        "common:VP_ANDROID_baseline_2022",
        write("same", () => {}),
        write("tiny", (limits) => limits.maxComputeWorkGroupInvocations = 0),
        write("huge", (limits) => limits.maxImageDimension2D = 1 << 20),
      ];
      const env = {
        PUMICE_DRIVERS: lavapipePath()!,
        PUMICE_GPU_OUT: folder,
        PUMICE_GPU_REPORT: report,
        TEST_TWINS: twins.join(),
      };
      const { output } = runTests([PROGRAM], { env });
      const { results } = JSON.parse(Deno.readTextFileSync(report)) as GpuTestReport;
      assertEquals(results.map(({ driver, status }) => [driver, status]), [
        ["lvp as common:VP_ANDROID_baseline_2022", "passed"],
        ["lvp as same", "passed"],
        ["lvp as tiny", "failed"],
        ["lvp as huge", "failed"],
      ], output);
      assertMatch(results[0].device!, /^VP_ANDROID_baseline_2022, Vulkan 1\.1/);
      assertMatch(results[2].reason!, /vkCreateComputePipelines.*VK_ERROR_UNKNOWN/s);
      assert(output.includes("maxComputeWorkGroupInvocations is 0"), output);
      assertMatch(output, /cannot do all of it; it lacks 1: .*maxImageDimension2D/);
      const again = results[2].repro!.replace(/^deno/, Deno.execPath()),
        shell = new Deno.Command("sh", { args: ["-c", again], env: { TEST_TWINS: twins.join() } });
      const { code, stderr } = shell.outputSync();
      assertEquals(code, 1);
      assertMatch(new TextDecoder().decode(stderr), /maxComputeWorkGroupInvocations is 0/);
    });
  },
);
