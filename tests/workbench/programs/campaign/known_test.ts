import { assertEquals, assertThrows } from "@std/assert";
import { isKnown, readKnown } from "../../../../workbench/programs/campaign/known.ts";
import { WrongUse } from "../../../../workbench/process/exit_code.ts";
import { withFolder } from "../../../support/temporary.ts";

const DRAW = "differs: vkCmdDrawIndexed: several samples: D32_SFLOAT_S8_UINT stencil";

Deno.test("isKnown() knows signatures by their beginning up to a colon, and takes * for anything between two", () => {
  const matching = [
    DRAW,
    "differs",
    "differs: vkCmdDrawIndexed",
    "differs: vkCmdDraw*",
    "differs: *: several samples",
    "differs: vkCmdDraw*: *: D32_*",
  ];
  const others = [
    "differs: vkCmdDraw",
    "differs: *: D32_*",
    "crashed on driver A: vkCmdDrawIndexed",
    "differs: vkCmdDraw.*",
    `${DRAW}: more`,
    "*: vkCmdDraw",
  ];
  for (const known of matching) assertEquals(isKnown([known], DRAW), true, known);
  for (const known of others) assertEquals(isKnown([known], DRAW), false, known);
  assertEquals(isKnown([], DRAW), false);
});

Deno.test("readKnown() leaves out comments, and names the line that is no signature", () => {
  withFolder((folder) => {
    const path = `${folder}/known`;
    Deno.writeTextFileSync(path, `# filed\r\n\r\n${DRAW}\r\n  timed out on *  `);
    assertEquals(readKnown(path), [DRAW, "timed out on *"]);
    const rows = [["differs\nfoo: bar", 'line 2 of .* is no signature: "foo: bar"'], ["\u{0}\x7fELF\n", "is no text"]];
    for (const [bytes, found] of rows) {
      Deno.writeTextFileSync(path, bytes);
      assertEquals(new RegExp(found).test(assertThrows(() => readKnown(path), WrongUse).message), true);
    }
  });
});
