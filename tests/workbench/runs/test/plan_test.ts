import { assertEquals } from "@std/assert";
import { plan } from "../../../../workbench/runs/test/plan.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

const LIBRARY = new URL("../../../../workbench/runs/testing/mod.ts", import.meta.url).href;

Deno.test("plan() has the first driver of each test lead, whose pictures become golden files, and no other", async () => {
  await withFolderAsync(async (folder) => {
    const file = `${folder}/two.ts`;
    const tests = ["one", "other"].map((name) => `gpuTest("${name}", () => {});\n`).join("");
    Deno.writeTextFileSync(file, `import { gpuTest } from "${LIBRARY}";\n${tests}`);
    const drivers = ["a", "b", "c"].map((name) => ({ name, path: `/nowhere/${name}.so` }));
    const { signal } = new AbortController();
    const { tasks, notes } = await plan({ files: [file], drivers, isElsewhere: true, signal });
    assertEquals(notes, []);
    assertEquals(
      tasks.map(({ work }) => "leads" in work && [work.place.test, work.place.driver, work.leads]),
      ["one", "other"].flatMap((test) => [[test, "a", true], [test, "b", false], [test, "c", false]]),
    );
  });
});
