import { assert, assertEquals } from "@std/assert";
import { COMMANDS } from "../../cli/commands.ts";
import { walk } from "../../tools/walk.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

Deno.test("the page about real displays names tests that there are, and fits the command line", () => {
  const page = Deno.readTextFileSync(`${ROOT}docs/kms.md`);
  const sources = [...walk(`${ROOT}tests/hwc/kms`)].map((path) => Deno.readTextFileSync(path)).join("\n");
  const proven = Deno.readTextFileSync(`${ROOT}docs/internals/cards.md`);
  const rows = [...proven.matchAll(/^\| [^|`]+\| `([^`]+)`(?:, and more)? +\|$/gm)].map(([, name]) => name);
  assertEquals(rows.length, 38);
  for (const name of rows) assert(sources.includes(`"${name}"`), `no test is named ${name}`);
  for (const [, command] of page.matchAll(/`pumice (\w+) --/g)) {
    const options = Object.entries(COMMANDS.get(command)!.options);
    assert(options.some(([name, { help }]) => /kms/.test(`${name} ${help}`)), `${command} does not know kms`);
  }
});
