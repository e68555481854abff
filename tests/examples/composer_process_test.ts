import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runProgram } from "../support/subprocess.ts";
import { withFolderAsync } from "../support/temporary.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const EXAMPLE = "examples/composer_process.ts";

Deno.test("the example of a composer in another process shows frames, one client after the other", () =>
  withFolderAsync(async (folder) => {
    const path = `${folder}/composer`, map = `--import-map=${ROOT}tools/offline_import_map.json`;
    const server = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-prompt", "--allow-ffi", map, ROOT + EXAMPLE, "serve", path],
      stdin: "null",
      stdout: "piped",
    }).spawn();
    const said = server.stdout.getReader(), { value } = await said.read();
    assertEquals(new TextDecoder().decode(value), `serving at ${path}\n`);
    for (let client = 0; client < 2; client++) {
      const { code, stdout, output } = runProgram(EXAMPLE, ["show", path]);
      assertEquals(code, 0, output);
      assertMatch(stdout, /fade/);
    }
    server.kill("SIGINT");
    await said.cancel();
    assertEquals([(await server.status).code, [...Deno.readDirSync(folder)]], [0, []]);
  }));

Deno.test("the example of a composer in another process says how it is used, and where nobody serves", () => {
  const wrong = runProgram(EXAMPLE, ["play"]);
  assertEquals([wrong.code, wrong.stdout], [2, ""]);
  assertStringIncludes(runProgram(EXAMPLE, ["show", "/nowhere/composer"]).stderr, "call serveComposer() there first");
});
