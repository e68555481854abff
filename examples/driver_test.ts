/**
 * Tests of Vulkan drivers, ten lines each, one of them with a golden picture.
 *
 * ```sh
 * deno test -A examples/driver_test.ts
 * ```
 *
 * Each test runs on every driver of this machine, or on those that
 * PUMICE_DRIVERS names, in a process of its own. A table shows the milliseconds
 * that the device took for each test on each driver.
 *
 * @module
 */
import { gpuTest } from "@pumice/gfx/testing";
import { assertEquals } from "@std/assert";
import { squaresComp, triangleFrag, triangleVert } from "./driver/shaders_gen.ts";

gpuTest("a shader computes squares", { timeout: 30_000 }, ({ buffer, compute }) => {
  const numbers = buffer(Uint32Array.from({ length: 100 }, (_, index) => index));
  compute({ shader: squaresComp(), bindings: [numbers], groups: 2 });
  assertEquals([...numbers.words], Array.from({ length: 100 }, (_, index) => index * index));
});

gpuTest("a triangle is drawn", { goldens: "driver", tolerance: { pixels: 0.01 } }, ({ image, draw, golden }) => {
  const target = image({ width: 128, height: 96 });
  draw({ target, vertex: triangleVert(), fragment: triangleFrag(), clear: [0.1, 0.1, 0.15, 1] });
  golden(target);
});
