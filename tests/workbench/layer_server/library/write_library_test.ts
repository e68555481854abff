import { assertEquals, assertMatch } from "@std/assert";
import { writeLayerFiles } from "../../../../workbench/layer_server/write_files.ts";
import { startXServer } from "../../../support/x_server.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { APP, NEEDS_PROGRAMS, runIn } from "../programs.ts";

/** Runs a test with a folder in which `layers` has the layer library. */
function withLayer(use: (folder: string) => void | Promise<void>): Promise<void> {
  return withFolderAsync(async (folder) => {
    await writeLayerFiles(`${folder}/layers`, { processor: "x86_64" });
    await use(folder);
  });
}

Deno.test(
  "writeLibrary() gives a layer that the system's loader finds, and that changes nothing",
  NEEDS_PROGRAMS,
  () =>
    withLayer((folder) => {
      for (
        const line of [["vulkaninfo"], ["vulkaninfo", "--summary"], [APP!, "buffers", "3"], [APP!, "threads", "5"]]
      ) {
        const [plain, layered] = [false, true].map((isIn) => runIn(folder, isIn, line));
        assertEquals([plain.code, layered.code], [0, 0], plain.output + layered.output);
        assertEquals(layered.stdout, plain.stdout, line.join(" "));
      }
      const listed = runIn(folder, true, ["vulkaninfo", "--summary"], { VK_LOADER_DEBUG: "layer" }).stderr;
      assertMatch(
        listed,
        /Insert(ing|ed) instance layer "?VK_LAYER_PUMICE_elsewhere|VK_LAYER_PUMICE_elsewhere\n.*libVkLayer_pumice\.so/s,
      );
    }),
);

Deno.test(
  "writeLibrary() gives a layer with which vkcube draws as without",
  NEEDS_PROGRAMS,
  () =>
    withLayer(async (folder) => {
      await using server = await startXServer();
      const more = { DISPLAY: server.display };
      const [plain, layered] = [false, true].map((isIn) => runIn(folder, isIn, ["vkcube", "--c", "3"], more));
      assertEquals([plain.code, layered.code, layered.stdout], [0, 0, plain.stdout], plain.output + layered.output);
    }),
);

Deno.test(
  "writeLibrary() gives a layer that leaves no memory after 200 instances and devices",
  NEEDS_PROGRAMS,
  () =>
    withLayer((folder) => {
      const { code, stdout, stderr } = runIn(folder, true, [APP!, "rounds", "200"]);
      assertEquals([code, stdout], [0, "200 rounds, 0 mappings more\n"], stderr);
    }),
);
