import { assert, assertEquals } from "@std/assert";
import { compiledAhead } from "../../tools/build/compiled_ahead.ts";
import { runProgram } from "../support/subprocess.ts";

const MODULE = `import { join } from "node:path";

// early.ts
var early = late("early");
async function* many() {
  yield late(\`
}
\`);
}

// late.ts
function late(text) {
  const page = \`
function inPage() {
}
\`;
  return page.length + join(text, import.meta.url);
}
var TEXT = \`
function inText() {
}
\`;
export {
  early,
  late,
  many,
  TEXT
};
`;

/** Imports a module's text. */
function imported(text: string): Promise<Record<string, unknown>> {
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}

Deno.test("functions of a bundled file stand behind a parenthesis, ahead of what calls them, and texts stay", async () => {
  const text = compiledAhead(MODULE);
  assertEquals(text.match(/^var (\w+) = \((async )?function/gm)?.length, 2);
  assertEquals(text.match(/^function inPage\(\) {$/gm)?.length, 1);
  const [before, after] = await Promise.all([imported(MODULE), imported(text)]);
  assertEquals(Object.keys(after), Object.keys(before));
  assertEquals(after.TEXT, before.TEXT);
  const named = (module: Record<string, unknown>) => (module.late as () => void).name;
  assertEquals(named(after), named(before));
  assert(/^\d+early\/data:/.test(String(after.early)), String(after.early));
});

Deno.test("a text without functions stays as written", () => {
  for (const text of ["", "var a = 1;\n", 'export * from "./a.js";\n']) assertEquals(compiledAhead(text), text);
});

Deno.test("functions that are arguments or values stand in parentheses, once, and keep their names", async () => {
  const plain = "export const add = (a) => (b) => a + b;\nexport const all = [1].map(add(1)).map(function twice(n) {" +
    "\n  return n * 2;\n});\nexport const done = (() => all[0])();\n";
  const text = compiledAhead(plain);
  assertEquals(text.match(/\(\(a\) => \(\(b\) => a \+ b\)\)/g)?.length, 1);
  assertEquals(text.match(/\.map\(\(function twice/g)?.length, 1);
  assert(text.includes("done = (() => all[0])()"), text);
  const { add, all, done } = await imported(text);
  assertEquals([(add as () => void).name, all, done], ["add", [4], 4]);
});

Deno.test("the engine compiles such functions with the file, and others at their first call", async () => {
  const folder = await Deno.makeTempDir({ prefix: "pumice-ahead-" });
  try {
    for (const plain of ["function called() {\n  return 1;\n}\ncalled();\n", "const called = () => 1;\ncalled();\n"]) {
      assertEquals([plain, compiledAhead(plain)].map((text) => compiledLate(folder, text)), [true, false], plain);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Whether the engine compiles the function `called` of a module at its first call. */
function compiledLate(folder: string, text: string): boolean {
  const path = `${folder}/module.js`, log = `${folder}/events.log`;
  Deno.writeTextFileSync(path, text);
  Deno.writeTextFileSync(log, "");
  const flags = [`--v8-flags=--log-function-events,--no-logfile-per-isolate,--logfile=${log}`];
  const { code, output } = runProgram("tests/package/import_program.ts", [`file://${path}`], { flags });
  assertEquals(code, 0, output);
  const events = Deno.readTextFileSync(log).split("\n").filter((line) => line.endsWith(",called"));
  assert(events.length > 0, "the engine names the function");
  return events.some((line) => line.startsWith("function,parse-function,"));
}
