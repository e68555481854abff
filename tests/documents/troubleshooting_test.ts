import { assert, assertEquals } from "@std/assert";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { programsOf } from "../support/pages.ts";
import { needs } from "../support/require.ts";
import { runProgram } from "../support/subprocess.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** Starts each program of the folder in turn, in that folder, and prints what each threw as a list in JSON. */
const RUNNER = `
const here = import.meta.dirname!, said = [];
Deno.chdir(here);
for (let index = 0; index < Number(Deno.args[0]); index++) {
  said.push(await import(here + "/program" + index + ".ts").then(() => "nothing was thrown", String));
}
console.log("said " + JSON.stringify(said));
`;

Deno.test("each of the twenty symptoms ends with the sentence of the page", needs("lavapipe", lavapipePath()), () => {
  const programs = programsOf("troubleshooting");
  assertEquals(programs.length, 20);
  const folder = Deno.makeTempDirSync({ dir: `${ROOT}.cache`, prefix: ".symptoms-" });
  try {
    for (const [index, { source }] of programs.entries()) {
      Deno.writeTextFileSync(`${folder}/program${index}.ts`, source);
    }
    Deno.writeTextFileSync(`${folder}/all.ts`, RUNNER);
    const { code, output } = runProgram(`${folder}/all.ts`.slice(ROOT.length), [`${programs.length}`]);
    assertEquals(code, 0, output);
    const said: string[] = JSON.parse(/^said (.*)$/m.exec(output)![1]);
    for (const [index, { source, prints }] of programs.entries()) {
      if (prints === undefined) throw new Error(`no sentence follows:\n${source}`);
      assert(said[index].includes(prints.trim()), `${said[index]}\n  is not\n${prints}`);
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
