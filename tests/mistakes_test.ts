/**
 * Mistakes that people make, the messages they get, and the page about them:
 * all three are the same list.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { lavapipePath } from "../tools/setup/parts.ts";
import { mesa } from "./egl/drivers.ts";
import { sectionOf } from "./mistakes/page.ts";
import { type MistakenProgram, mistakenProgram, MISTAKES } from "./mistakes/program.ts";
import { textOf } from "./support/pages.ts";
import { checkAndRunPasted } from "./support/pasted.ts";
import { needs } from "./support/require.ts";

const driver = lavapipePath();

Deno.test(
  "mistakes are told in words that help, by deno check and when the program runs",
  needs("lavapipe and Mesa's EGL", driver && mesa.found),
  async (test) => {
    const program = mistakenProgram();
    const { checked, ran } = checkAndRunPasted(program.text, [driver!, "libEGL_mesa.so.0"]);
    const errors = errorsByLine(checked.output), told = toldBy(ran.output);
    for (const [index, { title, check, thrown }] of MISTAKES.entries()) {
      await test.step(title, () => {
        assertInOrder(errors.get(program.lines[index]) ?? "no error", check);
        if (!("unseen" in thrown)) assertInOrder(told[index] ?? "nothing is thrown", ["TypeError: ", ...thrown]);
      });
    }
    await test.step("nothing else is wrong", () => assertEquals(otherLines(errors, program), []));
  },
);

Deno.test("the page about mistakes lists them all, in the test's words", () => {
  const page = textOf("errors", "Mistakes of types and arguments");
  const sections = page.slice(page.indexOf("\n### ")).split(/^(?=### )/m).map((each) => each.trim()).filter(Boolean);
  assertEquals(sections.map(plain), MISTAKES.map(sectionOf).map(plain));
});

/** The errors of `deno check`, by the line of the program. */
function errorsByLine(output: string): Map<number, string> {
  const errors = new Map<number, string>();
  for (const error of output.split(/^(?=TS\d+ \[ERROR\])/m)) {
    const line = Number(/program\.ts:(\d+)/.exec(error)?.[1]);
    if (line > 0) errors.set(line, `${errors.get(line) ?? ""}${error}`);
  }
  return errors;
}

function otherLines(errors: ReadonlyMap<number, string>, { lines }: MistakenProgram): string[] {
  return [...errors].filter(([line]) => !lines.includes(line)).map(([, error]) => error);
}

function toldBy(output: string): (string | null)[] {
  const [, told] = /^told (.*)$/m.exec(output) ?? [];
  assert(told, output);
  return JSON.parse(told);
}

function assertInOrder(text: string, words: readonly string[]): void {
  let from = 0;
  for (const each of words) {
    const at = text.indexOf(each, from);
    assert(at >= 0, `${JSON.stringify(each)} is missing in: ${text}`);
    from = at + each.length;
  }
}

/** A text without the line breaks and marks that the formatter adds. */
function plain(text: string): string {
  return text.replace(/[\s,()]+/g, "");
}
