import "../../support/warm_loader.ts";
import { assert, assertEquals } from "@std/assert";
import { replay } from "../../../loader/layers.ts";
import { lavapipePath, libplaceboPath, swiftshaderPath, vkd3dPath } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { withFolder } from "../../support/temporary.ts";
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
