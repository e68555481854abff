import { assertEquals } from "@std/assert";
import { gstreamerVulkanPath, lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { compileFixture } from "../../../support/compile.ts";
import { needs } from "../../../support/require.ts";
import { runProgram } from "../../../support/subprocess.ts";
import { withFolder } from "../../../support/temporary.ts";
import { beginsWith, leftInBuffers } from "./left_in_buffers.ts";

const drivers = [lavapipePath(), swiftshaderPath()], app = compileFixture("native_gstreamer");
const NEEDS = {
  ignore: needs("Mesa lavapipe", drivers[0]).ignore || needs("SwiftShader", drivers[1]).ignore ||
    needs("GStreamer's Vulkan", gstreamerVulkanPath()).ignore || needs("C compiler", app).ignore,
};
const FRAMES = 3, FRAME = 64 * 48 * 4;

Deno.test(
  "a GStreamer pipeline on Vulkan is recorded with its threads, and every driver replays its pictures",
  NEEDS,
  () => {
    withFolder((folder) => {
      const path = `${folder}/pipeline.jsonl`, file = `${folder}/frames`;
      const env = { GST_REGISTRY: `${folder}/registry`, GST_REGISTRY_FORK: "no" };
      const { code, stdout, output } = runProgram(
        "tests/workbench/recordings/replay/programs/recorded_program.ts",
        [drivers[0]!, path, app!, `vulkan:${file}`],
        { env },
      );
      assertEquals(code, 0, output);
      const { said, ...rest } = JSON.parse(stdout.trim().split("\n").at(-1)!);
      assertEquals([said.slice(0, 2), rest], [["message 1 ", `${FRAMES * FRAME} bytes`], {
        code: 0,
        gaps: [],
        unseen: 0,
      }]);
      const frames = Deno.readFileSync(file);
      for (const driver of drivers) {
        const left = leftInBuffers(driver!, path);
        for (let frame = 0; frame < FRAMES; frame++) {
          const picture = frames.subarray(frame * FRAME, (frame + 1) * FRAME);
          assertEquals([driver, frame, left.some((bytes) => beginsWith(bytes, picture))], [driver, frame, true]);
        }
      }
    });
  },
);
