import { assertEquals, assertMatch } from "@std/assert";
import { recordingInfo, verifyRecording } from "../../../workbench/recordings/mod.ts";
import { readRecording } from "../../../workbench/layers.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { compileFixture, compileProgram } from "../../support/compile.ts";
import { withFolder } from "../../support/temporary.ts";
import { exec } from "./exec.ts";

/** Writes the manifest of a native layer to a folder, and returns the variables with which programs load the layer. */
function loading(folder: string, name: string, library_path: string): Record<string, string> {
  const layer = { name, type: "GLOBAL", library_path, api_version: "1.3.0" };
  const described = { ...layer, implementation_version: "1", description: "for tests" };
  Deno.mkdirSync(`${folder}/below`);
  Deno.writeTextFileSync(
    `${folder}/below/layer.json`,
    JSON.stringify({ file_format_version: "1.1.2", layer: described }),
  );
  return { VK_ADD_LAYER_PATH: `${folder}/below`, VK_INSTANCE_LAYERS: name };
}

Deno.test(
  "cli exec --record keeps what a thread writes into memory that it maps while another thread's call takes long",
  NEEDS_PROGRAMS,
  () =>
    withFolder((folder) => {
      const path = `${folder}/slow.jsonl`, library = compileFixture("slow_layer")!;
      const variables = loading(folder, "VK_LAYER_TEST_slow", library);
      const args = [`--record=${path}`, "--", compileProgram("elsewhere_slow")!, library];
      const { code, stdout, stderr } = exec(folder, args, variables);
      const told = `32 bytes right, slow buffer made\n${path}: what the program did, to be replayed\n`;
      assertEquals([code, stdout], [0, told], stderr);
      assertMatch(stderr, /vkMapMemory of thread \d+ went on with the result of "next"/); // the race took place
      assertEquals(recordingInfo(path).gaps, []);
      const { lines } = readRecording(path), written = lines.filter((line) => "write" in line);
      assertEquals(written.map(({ content }) => content), [{ bytes: PATTERN }]);
      const { reads, differences } = verifyRecording({ driver: lavapipePath()! }, path);
      assertEquals([reads > 0, differences], [true, []]);
    }),
);

/** The bytes that the program writes, as hexadecimal digits. */
const PATTERN = Array.from({ length: 32 }, (_, index) => (7 * index + 1 & 255).toString(16).padStart(2, "0")).join("");
