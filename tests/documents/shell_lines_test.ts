import { assert, assertEquals } from "@std/assert";
import { parseRequest } from "../../cli/arguments/parse.ts";
import { COMMANDS } from "../../cli/commands.ts";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { needs } from "../support/require.ts";
import { shellLines, words } from "../support/shell_lines.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const { tasks, exports, name: PACKAGE } = JSON.parse(Deno.readTextFileSync(`${ROOT}deno.json`));
const LINES = shellLines();
/** Lines of the documents name this driver. */
const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());

/** The arguments of the command line in a line of a page, or undefined if the line starts something else. */
function argumentsOf(line: string): string[] | undefined {
  const [program, ...rest] = words(line);
  if (program === "pumice") return rest;
  const at = rest.findIndex((word) => word === `jsr:${PACKAGE}/cli`);
  return program === "deno" && rest[0] === "run" && at > 0 ? rest.slice(at + 1) : undefined;
}

Deno.test(
  "each line of the documents that starts the command line is taken by the command that it names",
  LAVAPIPE,
  () => {
    const lines = LINES.map(({ page, line }) => ({ page, line, args: argumentsOf(line) })).filter(({ args }) => args);
    assert(lines.length > 25, `${lines.length}`);
    for (const { page, line, args } of lines) {
      const [name, ...rest] = args!.filter((word) => !word.startsWith("[")), command = COMMANDS.get(name);
      if (command === undefined) throw new Error(`${page}: ${line}`);
      if (rest.length === 0) continue; // a sentence that names the command alone
      const request = parseRequest(name, command, rest);
      assert(request !== "help", `${page}: ${line}`);
    }
  },
);

Deno.test("each line of the documents that starts a task or a file starts one that is there", () => {
  for (const { page, line } of LINES) {
    const [, task] = /(?:deno|deno@[\d.]+) task ([\w:]+)/.exec(line) ?? [];
    if (task) assert(task in tasks, `${page}: ${line}`);
    const [, file] = /^deno (?:run|test) .*?((?:examples|tests|tools|bench)\/[\w/]+\.ts)/.exec(line) ?? [];
    if (file) assert(Deno.statSync(ROOT + file).isFile, `${page}: ${line}`);
  }
});

Deno.test("each entry of the package that a line of the documents names is there", () => {
  for (const { page, line } of LINES) {
    for (const [, entry] of line.matchAll(/jsr:@pumice\/gfx(\/[\w-]+)?/g)) {
      assert(`.${entry ?? ""}` in exports, `${page}: ${line}`);
    }
  }
});

Deno.test("no line of the documents has a word that a shell would take for file names", () => {
  const open = LINES.filter(({ line }) => /[*?[\]]/.test(line.replaceAll(/'[^']*'|"[^"]*"|\[[-\w=|]+\]/g, "")));
  assertEquals(open, []);
});
