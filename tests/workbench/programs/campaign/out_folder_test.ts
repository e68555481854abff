import { assertEquals, assertThrows } from "@std/assert";
import { WrongUse } from "../../../../workbench/process/exit_code.ts";
import { outFolder } from "../../../../workbench/programs/campaign/findings.ts";
import { withFolder } from "../../../support/temporary.ts";

Deno.test("outFolder() makes a folder, and lets one run after the other write there, not two at once", () => {
  withFolder((folder) => {
    const path = `${folder}/a/b`, refusal = () => assertThrows(() => outFolder(path), WrongUse).message;
    {
      using _first = outFolder(path);
      assertEquals(Deno.statSync(path).isDirectory, true);
      assertEquals(refusal(), `fuzz: another run writes into --out=${path}; give each run a folder of its own`);
    }
    outFolder(path)[Symbol.dispose]();
    Deno.writeTextFileSync(`${folder}/file`, "");
    assertThrows(() => outFolder(`${folder}/file`), WrongUse, "is a file; give a folder");
    assertThrows(() => outFolder(""), WrongUse, "names no folder");
  });
});
