import { assertEquals, assertStringIncludes } from "@std/assert";
import { olderConfig, OLDEST_DENO } from "../../tools/oldest/oldest.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string) => Deno.readTextFileSync(new URL(path, root));

Deno.test("README and the error for a Deno that is too old name the oldest one that is tried", () => {
  const [major, minor] = OLDEST_DENO.split(".");
  assertStringIncludes(read("README.md"), `Deno ${major}.${minor} or newer`);
  assertStringIncludes(read("ffi/image/prebuilt.ts"), `needs Deno ${major}.${minor} or newer`);
});

Deno.test("olderConfig() keeps what programs need of the project's configuration", () => {
  const config = JSON.parse(read("deno.json")), older = JSON.parse(olderConfig(read("deno.json")));
  assertEquals([older.name, older.exports, older.imports], [config.name, config.exports, config.imports]);
  assertEquals(older.test, undefined);
});
