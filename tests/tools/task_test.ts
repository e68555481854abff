import { assertEquals, assertStringIncludes } from "@std/assert";
import { runProgram } from "../support/subprocess.ts";

/** The tasks with options, and a wrong one for each. */
const TASKS = [
  ["tools/test/main.ts", "--jobs=0", `--jobs is "0"; give a whole number from 1`],
  ["tools/setup/main.ts", "--jsn", "Unknown option '--jsn'"],
  ["tools/build/main.ts", "out/package", "Unexpected argument 'out/package'"],
  ["tools/reference.ts", "--outptu=x", "Unknown option '--outptu'"],
  ["tools/shaders/build.ts", "--chek", "Unknown option '--chek'"],
  ["tools/ok.ts", "--no-tests", "Unknown option '--no-tests'"],
  ["tools/fuzz/main.ts", "--programs=0", `--programs is "0"; give a whole number from 1`],
  ["tools/scale/main.ts", "--machines=few", `--machines is "few"; give a whole number`],
  ["tools/arm64/run.ts", "--help-me", "Unknown option '--help-me'"],
  ["bench/main.ts", "framez", `Cannot measure "framez": choose among calls, layers,`],
] as const;

for (const [path, wrong, sentence] of TASKS) {
  Deno.test(`${path} has a help, and refuses ${wrong} with one sentence before anything is done`, () => {
    const help = runProgram(path, ["--help"]), refused = runProgram(path, [wrong]);
    const [use] = help.output.split("\n");
    assertEquals(help.code, 0, help.output);
    assertEquals(refused.code, 2, refused.output);
    assertStringIncludes(refused.output, sentence);
    assertEquals(refused.output.trim().split("\n")[1], `use: ${use}`);
  });
}
