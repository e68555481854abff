import { assert, assertEquals } from "@std/assert";
import { examples } from "./example.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

Deno.test("the index of the examples lists each with its command, and nothing else", () => {
  const rows = Deno.readTextFileSync(`${ROOT}examples/README.md`).split("\n")
    .map((line) => /^\| \[`(\S+)`\]\(\1\) +\| `(.+?)` +\| .{20,} \|$/.exec(line)).filter((row) => row !== null);
  assertEquals(
    Object.fromEntries(rows.map(([, file, command]) => [file, command])),
    Object.fromEntries(examples().map(({ file, commands }) => [file, commands[0]])),
  );
});

Deno.test("an example is a file of at most 120 lines, and its header says what it shows", () => {
  for (const { file, lines, about } of examples()) {
    assert(lines <= 120, `${file} has ${lines} lines`);
    assert(about.length > 30 && about.endsWith("."), `${file}: ${about}`);
  }
});

Deno.test("each example is started by a test", () => {
  const tests = [...Deno.readDirSync(`${ROOT}tests/examples`)].filter(({ name }) => name.endsWith("_test.ts"))
    .map(({ name }) => Deno.readTextFileSync(`${ROOT}tests/examples/${name}`)).join("\n");
  for (const { file } of examples()) assert(tests.includes(`${file}"`), `no test of tests/examples starts ${file}`);
});
