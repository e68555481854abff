import { assertEquals } from "@std/assert";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { mesa } from "../egl/drivers.ts";
import { programsOf } from "../support/pages.ts";
import { needs } from "../support/require.ts";
import { runProgram } from "../support/subprocess.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** Starts each program of the folder in turn, and prints what each printed, or what it threw, as a list in JSON. */
const RUNNER = `
const print = console.log, said = [];
for (let index = 0; index < Number(Deno.args[0]); index++) {
  let text = "";
  console.log = (...values) =>
    void (text += values.map((value) => typeof value === "string" ? value : Deno.inspect(value)).join(" ") + "\\n");
  await import(import.meta.dirname + "/program" + index + ".ts").catch((error) => text += error.stack);
  said.push(text);
}
print("said " + JSON.stringify(said));
`;

const PARTS = lavapipePath() && mesa.found;

Deno.test(
  "each program of the page about symptoms shows the symptom and then the cure",
  needs("drivers", PARTS),
  () => {
    const programs = programsOf("symptoms");
    const folder = Deno.makeTempDirSync({ dir: `${ROOT}.cache`, prefix: ".symptoms-" });
    try {
      for (const [index, { source }] of programs.entries()) {
        Deno.writeTextFileSync(`${folder}/program${index}.ts`, source);
      }
      Deno.writeTextFileSync(`${folder}/all.ts`, RUNNER);
      const { code, output } = runProgram(`${folder}/all.ts`.slice(ROOT.length), [`${programs.length}`]);
      assertEquals(code, 0, output);
      const said: string[] = JSON.parse(/^said (.*)$/m.exec(output)![1]);
      assertEquals(said, programs.map(({ prints }) => prints));
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
