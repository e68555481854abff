import { assertEquals } from "@std/assert";
import { COMMANDS } from "../../cli/commands.ts";
import { generateCommandLine } from "../../tools/generate/command_line.ts";
import { textOf } from "../support/pages.ts";

Deno.test("the page about the command line is what the generator writes from the commands' help", () => {
  for (const [path, text] of generateCommandLine()) {
    const there = Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
    assertEquals(there, text, `${path} is stale: run "deno task generate --images"`);
  }
});

Deno.test("the page about the command line has a section for each command, with each of its options", () => {
  for (const [name, { options }] of COMMANDS) {
    const listed = [...textOf("command-line", name).matchAll(/^ {2}--([\w-]+)/gm)].map(([, option]) => option);
    assertEquals(listed, Object.keys(options), name);
  }
});
