import { assert, assertEquals } from "@std/assert";
import type { TraceCall } from "../../../../workbench/layers.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { runProgram } from "../../../support/subprocess.ts";
import { withFolder } from "../../../support/temporary.ts";

const PROGRAM = "tests/loader/layers/shipped/programs/webgpu.ts";

Deno.test(
  "layers that ship call nothing of Deno's while its WebGPU calls Vulkan",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    withFolder((folder) => {
      const { code, stdout, output } = runProgram(PROGRAM, [lavapipePath()!, folder], { flags: ["--unstable-webgpu"] });
      assertEquals(code, 0, output);
      assertEquals(JSON.parse(stdout), {
        instances: 1,
        error: "undefined",
        dimension: 8192,
        shaders: "undefined",
        made: ["VkInstance", "VkDevice", "VkBuffer", "VkPipeline"],
      });
      const lines = Deno.readTextFileSync(`${folder}/webgpu.jsonl`).trimEnd().split("\n").map((line) =>
        JSON.parse(line)
      );
      const commands = lines.filter((line) => "in" in line).map(({ command }: TraceCall) => command);
      for (const each of ["vkCreateDevice", "vkCreateShaderModule", "vkQueueSubmit"]) {
        assert(commands.includes(each), each);
      }
      assert(
        !lines.some((line) => "unreadable" in (line.in ?? line.out ?? {})),
      );
    });
  },
);
