import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readRecording, RecordingError } from "../../../workbench/layers.ts";
import { anglePaths, lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { beginsWith, leftInBuffers } from "../../workbench/recordings/replay/left_in_buffers.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { runProgram } from "../../support/subprocess.ts";
import { withFolder } from "../../support/temporary.ts";
import { SIDE } from "../context.ts";
import { mesa } from "../drivers.ts";

const lavapipe = lavapipePath(), swiftshader = swiftshaderPath(), byName = compileFixture("vulkan_by_name");
/** Mesa's OpenGL as a Vulkan program, without a screen. */
const ZINK = { GALLIUM_DRIVER: "zink", LIBGL_ALWAYS_SOFTWARE: "1", EGL_PLATFORM: "surfaceless" };
const GREEN = Uint8Array.from({ length: 4 * SIDE * SIDE }, (_, index) => [0, 255, 0, 255][index % 4]);

const ROWS = [
  { name: "Mesa's OpenGL", renderer: "zink", driver: lavapipe, others: [swiftshader], part: mesa.found || undefined },
  { name: "ANGLE", renderer: "llvmpipe", driver: lavapipe, others: [swiftshader], part: anglePaths() && byName },
  { name: "ANGLE", renderer: "SwiftShader", driver: swiftshader, others: [lavapipe], part: anglePaths() && byName },
];

for (const { name, renderer, driver, others, part } of ROWS) {
  Deno.test(`${name} draws on Vulkan of a loader in a worker (${renderer}), and what it did is replayed`, {
    ignore: needs("Mesa lavapipe", lavapipe).ignore || needs(`SwiftShader, ${name}, a C compiler`, part).ignore,
  }, () => {
    withFolder((folder) => {
      const path = `${folder}/recording.jsonl`;
      const { code, stdout, output } = runProgram(
        "tests/egl/install/programs/gl_on_vulkan.ts",
        [driver!, path, ...name === "ANGLE" ? [angleIn(folder)] : []],
        { env: ZINK },
      );
      assertEquals(code, 0, output);
      const { renderer: found, ...rest } = JSON.parse(stdout.trim().split("\n").at(-1)!);
      assertStringIncludes(found, renderer);
      assertEquals(rest, { green: true, gaps: [], unseen: 0 });
      const isSubmission = (line: object) => "command" in line && `${line.command}`.startsWith("vkQueueSubmit");
      assert(readRecording(path).lines.some(isSubmission));
      assert(leftInBuffers(driver!, path).some((bytes) => beginsWith(bytes, GREEN)), "the picture is not replayed");
      for (const other of others) assertReplayedOrRefused(other!, path);
    });
  });
}

/** Programs of this kind turn on all that the driver has: another driver draws the same, or the replay says what that lacks. */
function assertReplayedOrRefused(driver: string, path: string): void {
  try {
    assert(leftInBuffers(driver, path).some((bytes) => beginsWith(bytes, GREEN)), `${driver} draws something else`);
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    assertStringIncludes(error.message, "cannot replay this: it lacks");
  }
}

/** ANGLE in a folder, beside a Vulkan library that leads to what is installed: it opens one by its path alone. */
function angleIn(folder: string): string {
  const { egl, gles } = anglePaths()!;
  Deno.copyFileSync(egl, `${folder}/libEGL.so`);
  Deno.copyFileSync(gles, `${folder}/libGLESv2.so`);
  Deno.copyFileSync(byName!, `${folder}/libvulkan.so`);
  return folder;
}
