import { assert, assertEquals } from "@std/assert";
import { replayRecording } from "../../../../workbench/layers.ts";
import {
  glfwPath,
  lavapipePath,
  libplaceboPath,
  sdlPath,
  swiftshaderPath,
  vkd3dPath,
  xvfbPath,
} from "../../../../tools/setup/parts.ts";
import { compileFixture } from "../../../support/compile.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";
import { startXServer } from "../../../support/x_server.ts";
import { runCounted } from "../../../loader/install/run_counted.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), SWIFTSHADER = needs("SwiftShader", swiftshaderPath());

/** Records a native program in a folder; returns the recording's path. */
function recordNative(folder: string, program: string, args: readonly string[]): string {
  const path = `${folder}/native.jsonl`;
  assertEquals(runCounted(program, args, { env: { PUMICE_TEST_RECORD: path } }).right, true);
  return path;
}

Deno.test("replayRecording() does what libplacebo did on SwiftShader again on lavapipe, with the same pixels", {
  ignore: LAVAPIPE.ignore || SWIFTSHADER.ignore || needs("libplacebo", libplaceboPath()).ignore,
}, () => {
  withFolder((folder) => {
    const path = recordNative(folder, "libplacebo", [swiftshaderPath()!, libplaceboPath()!]), same: boolean[] = [];
    replayRecording({ driver: lavapipePath()! }, path, {
      onRead: ({ recorded, replayed }) => same.push(recorded.every((byte, index) => byte === replayed![index])),
    });
    assertEquals(same, [true, true]);
  });
});

Deno.test("replayRecording() runs a Direct3D 12 command list again, whose thread waited unseen", {
  ignore: LAVAPIPE.ignore || needs("vkd3d", vkd3dPath()).ignore ||
    needs("C compiler", compileFixture("d3d12_app")).ignore,
}, () => {
  withFolder((folder) => {
    const path = recordNative(folder, "vkd3d", [lavapipePath()!, vkd3dPath()!, compileFixture("d3d12_app")!]);
    const copied: Uint8Array[] = [];
    replayRecording({ driver: lavapipePath()! }, path, {
      onSubmit({ submission, read }) {
        if (submission === 1) copied.push(read("VkBuffer#3"), read("VkBuffer#4")); // from where to where
      },
    });
    assertEquals(copied[1], copied[0]);
    assert(copied[1].length === 4096 && new Set(copied[1]).size > 100);
  });
});

for (const [title, program, library] of [["SDL", "sdl", sdlPath()], ["GLFW", "glfw", glfwPath()]] as const) {
  Deno.test(`replayRecording() needs no window for what ${title} showed in one`, {
    ignore: LAVAPIPE.ignore || SWIFTSHADER.ignore || needs(title, library).ignore ||
      needs("X server without a screen", xvfbPath()).ignore,
  }, async () => {
    await using server = await startXServer();
    const { display: DISPLAY } = server;
    withFolder((folder) => {
      const PUMICE_TEST_RECORD = `${folder}/window.jsonl`,
        env = { DISPLAY, SDL_VIDEODRIVER: "x11", PUMICE_TEST_RECORD };
      runCounted(program, [lavapipePath()!, library!], { env });
      for (const driver of [lavapipePath()!, swiftshaderPath()!]) {
        const seen: string[] = [];
        replayRecording({ driver }, PUMICE_TEST_RECORD, {
          onPresent({ width, height, read }) {
            const texels = read();
            assert(texels.every((value, index) => value === texels[index % 4]));
            seen.push(`${width}×${height} ${texels.subarray(0, 4).join()}`);
          },
        });
        assertEquals(seen, Array(3).fill("320×200 255,188,0,255"), "BGRA and sRGB of 0, 0.5, 1");
      }
    });
  });
}
