import { assertEquals } from "@std/assert";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { mesa } from "../egl/drivers.ts";
import { inTurn, programsOf, saidInTurn } from "../support/pages.ts";
import { needs } from "../support/require.ts";
import { runProgram } from "../support/subprocess.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

const PARTS = lavapipePath() && mesa.found;

Deno.test(
  "each program of the page about symptoms shows the symptom and then the cure",
  needs("drivers", PARTS),
  () => {
    const programs = programsOf("symptoms");
    const folder = Deno.makeTempDirSync({ dir: `${ROOT}.cache`, prefix: ".symptoms-" });
    try {
      const names = programs.map((_, index) => `program${index}.ts`);
      for (const [index, { source }] of programs.entries()) Deno.writeTextFileSync(`${folder}/${names[index]}`, source);
      Deno.writeTextFileSync(`${folder}/all.ts`, inTurn(names));
      const { code, output } = runProgram(`${folder}/all.ts`.slice(ROOT.length), []);
      assertEquals(code, 0, output);
      assertEquals(saidInTurn(output), programs.map(({ prints }) => prints));
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
);

Deno.test("the table of symptoms leads to every section, and every section has a program", () => {
  const page = Deno.readTextFileSync(`${ROOT}docs/symptoms.md`);
  const titles = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) =>
    title.toLowerCase().replaceAll(" ", "-").replaceAll("'", "")
  );
  const led = [...page.split("\n## ")[0].matchAll(/\(#(.*?)\)/g)].map(([, anchor]) => anchor);
  assertEquals(led.toSorted(), titles.toSorted());
  assertEquals(programsOf("symptoms").length, titles.length);
});
