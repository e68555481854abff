import { assertEquals, assertStringIncludes } from "@std/assert";
import { NEEDS_TINY, TINY } from "../loader/tiny.ts";
import { runDeno, runProgram } from "../support/subprocess.ts";

Deno.test("cli.ts as a program says that its commands cannot be loaded without the permission to read", () => {
  const allowed = ["run", "--no-prompt", "--no-check", "--allow-ffi", "--import-map=tools/offline_import_map.json"];
  const { code, stdout, stderr } = runDeno([...allowed, "cli.ts", "explain"]);
  assertEquals([code, stdout], [2, ""]);
  assertStringIncludes(stderr, "give deno --allow-read, too");
  assertEquals(runDeno([...allowed, "cli.ts", "--help"]).code, 0);
});

Deno.test("cli.ts as a program exits with main()'s code", NEEDS_TINY, () => {
  const good = runProgram("cli.ts", ["info", "--json", `--driver=${TINY}`]);
  assertEquals([good.code, JSON.parse(good.stdout).devices[0].properties.deviceName, good.stderr], [
    0,
    "Tiny driver",
    "",
  ]);
  assertEquals(runProgram("cli.ts", ["info", "--driver=/nowhere.so"]).code, 2);
  assertEquals(runProgram("cli.ts", ["dance"]).code, 2);
});
