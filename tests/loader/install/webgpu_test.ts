import { assert, assertEquals } from "@std/assert";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { runCounted } from "./run_counted.ts";

const FLAGS = { flags: ["--unstable-webgpu", "--v8-flags=--expose-gc"] };

/** Runs WebGPU on a driver, through native layers if any are named; checks the answer and returns what was counted. */
function run(driver: string, name: string, ...below: string[]): Record<string, number> {
  const { adapters, right, mapped, counts } = runCounted("webgpu", [driver, ...below], FLAGS);
  for (const adapter of adapters as string[]) assert(adapter.includes(name), adapter);
  assertEquals([right, mapped], [true, 0]);
  const { vkCreateInstance, vkCreateDevice, vkCreateComputePipelines, vkCmdDispatch } = counts;
  assertEquals([vkCreateInstance, vkCreateDevice, vkCmdDispatch], [1, 3, 3]);
  assert(vkCreateComputePipelines >= 3 && counts.vkQueueSubmit >= 3);
  return counts;
}

Deno.test("Deno's WebGPU runs through a TypeScript layer", needs("Mesa lavapipe", lavapipePath()), () => {
  const counts = run(lavapipePath()!, "llvmpipe");
  // What may be called while garbage is collected is not seen, or the process would have ended.
  assertEquals([counts.vkDestroyBuffer, counts.vkDestroyDevice, counts.vkBeginCommandBuffer], Array(3).fill(undefined));
});

Deno.test("Deno's WebGPU runs on SwiftShader, too", needs("SwiftShader and ANGLE", swiftshaderPath()), () => {
  run(swiftshaderPath()!, "SwiftShader");
});

Deno.test("Deno's WebGPU runs on several drivers behind one", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore || needs("SwiftShader", swiftshaderPath()).ignore,
}, () => {
  run(`${lavapipePath()!}:${swiftshaderPath()!}`, "");
});

Deno.test("Deno's WebGPU runs behind Android's driver level", needs("Mesa lavapipe", lavapipePath()), () => {
  run(`android:${lavapipePath()}`, "llvmpipe");
});

Deno.test("Deno's WebGPU runs through a TypeScript layer and validation", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore ||
    needs("Khronos validation layer", validationManifest()).ignore,
}, () => {
  for (const driver of [lavapipePath()!, `android:${lavapipePath()}`]) {
    run(driver, "llvmpipe", "VK_LAYER_KHRONOS_validation");
  }
});

Deno.test("Deno's WebGPU runs through a TypeScript layer below validation", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore ||
    needs("Khronos validation layer", validationManifest()).ignore,
}, () => {
  const counts = run(lavapipePath()!, "llvmpipe", "VK_LAYER_KHRONOS_validation", "TypeScript");
  const below = (command: string) => counts[`below ${command}`];
  assertEquals([below("vkCreateInstance"), below("vkCreateDevice"), below("vkCmdDispatch")], [1, 3, 3]);
  assertEquals(
    [below("vkDestroyBuffer"), below("vkDestroyDevice"), below("vkBeginCommandBuffer")],
    Array(3).fill(undefined),
  );
});
