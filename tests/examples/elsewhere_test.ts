import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { APP, driverManifest, NEEDS_PROGRAMS } from "../workbench/layer_server/programs.ts";
import { run } from "../support/subprocess.ts";
import { withFolderAsync } from "../support/temporary.ts";
import { startXServer } from "../support/x_server.ts";
import { commandOf, runExample } from "./example.ts";

/** Runs a test with the variables of a program that draws on an X server with one driver. */
function withDisplay(use: (env: Record<string, string>) => void): Promise<void> {
  return withFolderAsync(async (folder) => {
    await using server = await startXServer();
    const manifest = driverManifest(folder);
    use({ DISPLAY: server.display, VK_DRIVER_FILES: manifest, VK_ICD_FILENAMES: manifest });
  });
}

Deno.test("half_viewport.ts is a layer that vkcube runs under, silently", NEEDS_PROGRAMS, () =>
  withDisplay((env) => {
    const { code, stdout, stderr } = runExample("half_viewport.ts", env); // its picture: tests/workbench/layer_server
    assertEquals([code, stdout], [0, ""], stderr);
    assertMatch(stderr, /^Selected GPU 0: .*\n$/);
  }));

Deno.test(
  "program_leaks.ts finds no leak in vkcube, and those of a program that has some",
  NEEDS_PROGRAMS,
  () =>
    withDisplay((env) => {
      const { code, stdout, output } = runExample("program_leaks.ts", env);
      assertEquals([code, stdout], [0, "no object was leaked, none is live\n"], output);
      const line = commandOf("program_leaks.ts").replace("vkcube --c 30", `${APP} leak 3`);
      const leaking = run("sh", ["-c", line], { env: { NO_COLOR: "1", ...env }, seconds: 120 });
      assertEquals(leaking.code, 0, leaking.output);
      assertStringIncludes(leaking.stdout, "3 VkBuffer");
      assertMatch(leaking.stdout, /^3 leaked/);
    }),
);
