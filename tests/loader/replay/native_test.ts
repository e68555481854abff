import "../../support/warm_loader.ts";
import { assert, assertEquals } from "@std/assert";
import { replay } from "../../../loader/layers.ts";
import {
  glfwPath,
  lavapipePath,
  libplaceboPath,
  sdlPath,
  swiftshaderPath,
  vkd3dPath,
  xvfbPath,
} from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";
import { runCounted } from "../install/run_counted.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), SWIFTSHADER = needs("SwiftShader", swiftshaderPath());

/** Records a native program and replays it; how often it read, and how often that was the same. */
function readAgain(driver: string, program: string, args: readonly string[]): { reads: number; same: number } {
  return withFolder((folder) => {
    const path = `${folder}/native.jsonl`, counts = { reads: 0, same: 0 };
    assertEquals(runCounted(program, args, { env: { PUMICE_TEST_RECORD: path } }).right, true);
    replay({ driver }, path, {
      onRead({ recorded, replayed }) {
        counts.reads++;
        if (recorded.every((byte, index) => byte === replayed![index])) counts.same++;
      },
    });
    return counts;
  });
}

Deno.test("replay() does what libplacebo did on SwiftShader again on lavapipe, with the same pixels", {
  ignore: LAVAPIPE.ignore || SWIFTSHADER.ignore || needs("libplacebo", libplaceboPath()).ignore,
}, () => {
  const args = [swiftshaderPath()!, libplaceboPath()!];
  assertEquals(readAgain(lavapipePath()!, "libplacebo", args), { reads: 2, same: 2 });
});

Deno.test("replay() runs a Direct3D 12 command list again", {
  ignore: LAVAPIPE.ignore || needs("vkd3d", vkd3dPath()).ignore ||
    needs("C compiler", compileFixture("d3d12_app")).ignore,
}, () => {
  const { reads, same } = readAgain(lavapipePath()!, "vkd3d", [
    lavapipePath()!,
    vkd3dPath()!,
    compileFixture("d3d12_app")!,
  ]);
  assert(reads > 0 && same === reads);
});

for (const [title, program, library] of [["SDL", "sdl", sdlPath()], ["GLFW", "glfw", glfwPath()]] as const) {
  Deno.test(`replay() needs no window for what ${title} showed in one`, {
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
        replay({ driver }, PUMICE_TEST_RECORD, {
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
