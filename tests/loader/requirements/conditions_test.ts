import { assertEquals } from "@std/assert";
import { loaderOptionsOf } from "../../../loader/requirements/run_check.ts";

Deno.test("a check opens the loader of its release, or the oldest loader that there is", () => {
  const followed = [undefined, 17, 15, 14, 13, 7].map((release) => loaderOptionsOf({ release }).release);
  assertEquals(followed, [17, 17, 15, 14, 14, 14]);
  assertEquals(loaderOptionsOf({ release: 16, launch: 14, driver: "x.so" }), { driver: "x.so", release: 16 });
});
