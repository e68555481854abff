/**
 * A test that runs on several twins, whose files the environment names: for the
 * tests of `gpuTest`.
 *
 * @module
 */
import { gpuTest } from "@pumice/gfx/testing";
import { assertEquals } from "@std/assert";
import { squaresComp } from "../../../../../examples/driver/shaders_gen.ts";

const twins = Deno.env.get("TEST_TWINS")!.split(",");

gpuTest("squares", { twins }, ({ buffer, compute }) => {
  const numbers = buffer(new Uint32Array([1, 2, 3]));
  compute({ shader: squaresComp(), bindings: [numbers] });
  assertEquals([...numbers.words], [1, 4, 9]);
});
