import { assertEquals } from "@std/assert";
import { retriesOf } from "../../../cli/test/known.ts";

Deno.test("a failed case or test is tried again once by default, and never if the first failure ends the run", () => {
  const defaults = [{}, { bail: true }, { retries: "3" }, { retries: "0" }, { bail: true, retries: "2" }];
  assertEquals(defaults.map((values) => retriesOf({ values })), [1, 0, 3, 0, 2]);
});
