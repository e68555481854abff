import { assert, assertEquals } from "@std/assert";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { mesa } from "../egl/drivers.ts";
import { inTurn, type PageProgram, programsOf, saidInTurn, textOf } from "../support/pages.ts";
import { needs } from "../support/require.ts";
import { runProgram } from "../support/subprocess.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const MESSAGES = "Messages", SYMPTOMS = "Symptoms without a message";

/** Starts each program of the folder in turn, in that folder, and prints what each threw as a list in JSON. */
const RUNNER = `
const here = import.meta.dirname!, said = [];
Deno.chdir(here);
for (let index = 0; index < Number(Deno.args[0]); index++) {
  said.push(await import(here + "/program" + index + ".ts").then(() => "nothing was thrown", String));
}
console.log("said " + JSON.stringify(said));
`;

/** Writes programs into a folder inside of the project, with one that starts them all, and returns what that prints. */
function outputOf(programs: readonly PageProgram[], all: (names: readonly string[]) => string): string {
  const folder = Deno.makeTempDirSync({ dir: `${ROOT}.cache`, prefix: ".errors-" });
  try {
    const names = programs.map((_, index) => `program${index}.ts`);
    for (const [index, { source }] of programs.entries()) Deno.writeTextFileSync(`${folder}/${names[index]}`, source);
    Deno.writeTextFileSync(`${folder}/all.ts`, all(names));
    const { code, output } = runProgram(`${folder}/all.ts`.slice(ROOT.length), [`${programs.length}`]);
    assertEquals(code, 0, output);
    return output;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** The titles of a section's sections. */
function titlesOf(section: string): string[] {
  return [...textOf("errors", section).matchAll(/^### (.*)$/gm)].map(([, title]) => title);
}

Deno.test("each program below Messages ends with the sentence of the page", needs("lavapipe", lavapipePath()), () => {
  const programs = programsOf("errors", MESSAGES);
  assertEquals(programs.length, titlesOf(MESSAGES).length);
  const said: string[] = JSON.parse(/^said (.*)$/m.exec(outputOf(programs, () => RUNNER))![1]);
  for (const [index, { source, prints }] of programs.entries()) {
    if (prints === undefined) throw new Error(`no sentence follows:\n${source}`);
    assert(said[index].includes(prints.trim()), `${said[index]}\n  is not\n${prints}`);
  }
});

const PARTS = lavapipePath() && mesa.found;

Deno.test(
  "each program of the page about symptoms shows the symptom and then the cure",
  needs("drivers", PARTS),
  () => {
    const programs = programsOf("errors", SYMPTOMS);
    assertEquals(saidInTurn(outputOf(programs, inTurn)), programs.map(({ prints }) => prints));
  },
);

Deno.test("the table of symptoms leads to every section, and every section has a program", () => {
  const titles = titlesOf(SYMPTOMS);
  const anchors = titles.map((title) => title.toLowerCase().replaceAll(" ", "-").replaceAll("'", ""));
  const [table] = textOf("errors", SYMPTOMS).split("\n### ");
  const led = [...table.matchAll(/\(#(.*?)\)/g)].map(([, anchor]) => anchor);
  assertEquals(led.toSorted(), anchors.toSorted());
  assertEquals(programsOf("errors", SYMPTOMS).length, titles.length);
});
