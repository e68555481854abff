/**
 * Tests that pass, fail, hang and crash, for the tests of `gpuTest`: run with
 * `deno test`, which takes it by its name alone.
 *
 * @module
 */
import { gpuTest } from "@pumice/gfx/testing";
import { assertEquals } from "@std/assert";
import type { VkBuffer } from "@pumice/gfx/vk";
import { squaresComp, triangleFrag, triangleVert } from "../../../../../examples/driver/shaders_gen.ts";
import { invokeAddress } from "../../../../../ffi/machine.ts";
import { endlessComp, pushedFrag } from "../shaders/shaders_gen.ts";

const goldens = "../../../../../examples/driver", timeout = 1000, FOR_EVER = 2n ** 64n - 1n;

gpuTest("passes", { budget: { cpu: 600_000 } }, ({ buffer, compute, deviceTime }) => {
  const numbers = buffer(new Uint32Array([1, 2, 3]));
  compute({ shader: squaresComp(), bindings: [numbers] });
  assertEquals([...numbers.words], [1, 4, 9]);
  console.log(`the device took ${typeof deviceTime()}`);
});

gpuTest("has another picture", { goldens }, ({ image, draw, golden }) => {
  const target = image({ width: 128, height: 96 }), push = new Float32Array([1, 1, 0, 1]);
  draw({ target, vertex: triangleVert(), fragment: triangleFrag(), clear: [0.1, 0.1, 0.15, 1] });
  draw({ target, vertex: triangleVert(), fragment: pushedFrag(), push, clear: null });
  golden(target, { name: "a-triangle-is-drawn", channel: 8 });
});

gpuTest("takes too long", { budget: { gpu: 1e-9 } }, ({ buffer, compute }) => {
  compute({ shader: squaresComp(), bindings: [buffer(4096)], groups: 16 });
});

gpuTest("throws", ({ queue }) => assertEquals(typeof queue, "number"));

gpuTest("crashes", {}, () => void invokeAddress(8n, "v:", []));

gpuTest("crashes in a command", {}, ({ device }) => void device.vkGetBufferMemoryRequirements(8n as VkBuffer));

gpuTest("lacks an extension", { extensions: ["VK_EXT_that_nobody_has"] }, () => {
  throw new Error("this must not run");
});

gpuTest("waits for ever", { timeout }, ({ device }) => {
  device.vkWaitForFences([device.vkCreateFence({})], true, FOR_EVER);
});

gpuTest("computes for ever", { timeout: 3000 }, ({ buffer, compute }) => {
  compute({ shader: endlessComp(), bindings: [buffer(8)], groups: [65535, 65535] });
});

gpuTest("never yields", { timeout }, () => {
  for (;;);
});

gpuTest("is left out", { ignore: true }, () => {
  throw new Error("this must not run");
});
