import { assertEquals, assertMatch } from "@std/assert";
import { lavapipePath, swiftshaderPath } from "../../tools/setup/parts.ts";
import { needs } from "../support/require.ts";
import { runExample } from "./example.ts";

const DRIVERS = [lavapipePath(), swiftshaderPath()];

Deno.test("examples/driver_test.ts tests every driver, with a golden picture", {
  ignore: needs("Mesa lavapipe and SwiftShader", DRIVERS.every((path) => path !== undefined)).ignore,
}, () => {
  const { code, stdout, output } = runExample("driver_test.ts", { PUMICE_DRIVERS: DRIVERS.join(":") });
  assertEquals(code, 0, output);
  assertMatch(stdout, /4 passed.* 0 failed/);
  for (const name of ["a shader computes squares", "a triangle is drawn"]) {
    assertMatch(stdout, new RegExp(`^${name} +[\\d.]+ ms +[\\d.]+ ms$`, "m"));
  }
});
