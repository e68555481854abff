import { assert, assertEquals } from "@std/assert";
import { lavapipePath, libplaceboPath, swiftshaderPath, vkd3dPath } from "../../../tools/setup/parts.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { runCounted } from "./run_counted.ts";

/** Asserts that some of these commands' calls were counted. */
function assertCounted(counts: Record<string, number>, ...commands: string[]): void {
  for (const command of commands) assert(counts[command] > 0, `${command} was not counted`);
}

// Not on lavapipe: that of Mesa 22.3 now and then frees what one of its threads still signals, with any loader.
Deno.test("libplacebo, linked with Vulkan, draws right through a TypeScript layer", {
  ignore: needs("SwiftShader and ANGLE", swiftshaderPath()).ignore || needs("libplacebo", libplaceboPath()).ignore,
}, () => {
  const { right, mapped, counts } = runCounted("libplacebo", [swiftshaderPath()!, libplaceboPath()!]);
  assertEquals([right, mapped], [true, 0]);
  assertCounted(counts, "vkCreateDevice", "vkCmdCopyBufferToImage", "vkCmdDraw", "vkCmdClearColorImage");
  assertCounted(counts, "vkQueueSubmit", "vkCmdCopyImageToBuffer", "vkDestroyDevice", "vkDestroyInstance");
});

Deno.test("vkd3d runs a Direct3D 12 command list through a TypeScript layer", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore || needs("vkd3d", vkd3dPath()).ignore ||
    needs("C compiler", compileFixture("d3d12_app")).ignore,
}, () => {
  const app = compileFixture("d3d12_app")!;
  const { result, right, mapped, counts } = runCounted("vkd3d", [lavapipePath()!, vkd3dPath()!, app]);
  assertEquals([result, right, mapped], [0, true, 0]);
  assertCounted(counts, "vkCreateDevice", "vkCreateComputePipelines", "vkCmdCopyBuffer", "vkQueueSubmit");
});
