import { assertEquals } from "@std/assert";
import { isFolder, isThere } from "../../../workbench/process/files.ts";
import { withFolder } from "../../support/temporary.ts";

Deno.test("isThere() and isFolder() tell files, folders, links to them, and links to nothing apart", () =>
  withFolder((folder) => {
    const [file, inner, link, lost] = ["file", "inner", "link", "lost"].map((name) => `${folder}/${name}`);
    Deno.writeTextFileSync(file, "");
    Deno.mkdirSync(inner);
    Deno.symlinkSync(inner, link);
    Deno.symlinkSync(`${folder}/nowhere`, lost);
    const paths = [file, inner, link, lost, `${file}/below`, ""];
    assertEquals(paths.map(isThere), [true, true, true, false, false, false]);
    assertEquals(paths.map(isFolder), [false, true, true, false, false, false]);
  }));
