import { assertThrows } from "@std/assert";
import { gpuTest, type GpuTestBody } from "../../../../workbench/runs/testing/mod.ts";

Deno.test("gpuTest() refuses a test without a function, and says what it found", () => {
  const missing = undefined as unknown as GpuTestBody;
  for (const define of [() => gpuTest("one", missing), () => gpuTest("two", {}, missing)]) {
    assertThrows(define, TypeError, "found undefined as its function; give a function after the name or the options");
  }
});
