import { assertEquals, assertStringIncludes } from "@std/assert";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { commandLine as cli } from "../support/command_line.ts";
import { needs } from "../support/require.ts";
import { withFolderAsync } from "../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), BOTH = [0, 1].map(() => `--driver=${lavapipePath()}`);
const ENDING = new URL("./programs/ending_when_asked.ts", import.meta.url).pathname;
const SIGNATURE = "crashed on driver B: when it was asked what it can do";

Deno.test("cli fuzz tells that a driver ends when it is asked what it can do", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const args = ["fuzz", ...BOTH, `--layer-b=${ENDING}`, "--programs=1"], { code, text } = await cli(...args);
    assertEquals([code, text.split("\n").slice(0, 4)], [1, [
      "0 programs, 1 new",
      "",
      SIGNATURE,
      "  before the first program",
    ]]);
    assertStringIncludes(text, "signal SIGKILL");
    Deno.writeTextFileSync(`${folder}/known`, SIGNATURE);
    const known = await cli(...args, `--known=${folder}/known`);
    assertEquals([known.code, known.text], [0, "0 programs, no difference"]);
  });
});
