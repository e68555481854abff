import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { batchesOf } from "../../tools/test/batches.ts";
import { runProgram, runTests } from "../support/subprocess.ts";
import { withFolder } from "../support/temporary.ts";

/** Writes test files by name and runs them. */
function run(files: Readonly<Record<string, string>>, ...options: string[]) {
  return withFolder((folder) => {
    for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${folder}/${name}_test.ts`, text);
    return runProgram("tools/test/main.ts", [...options, folder]);
  });
}

Deno.test("task test tells how many passed and names what was skipped", () => {
  const passing = 'Deno.test("one", () => {}); Deno.test("without its part", { ignore: true }, () => {});';
  const { code, stdout } = run({ first: passing, second: 'Deno.test("two", () => {});' });
  assertEquals(code, 0, stdout);
  assertStringIncludes(stdout, "skipped: without its part\n");
  assert(/\nok \| 2 passed \| 0 failed \| 1 ignored/.test(stdout), stdout);
});

Deno.test("task test fails with a failed test, and with a process that dies amid the tests", () => {
  const failed = run({ failing: 'Deno.test("one", () => {}); Deno.test("two", () => { throw new Error("why") });' });
  assertEquals(failed.code, 1);
  assertStringIncludes(failed.stdout, "Error: why");
  assert(/\nFAILED \| 1 passed \| 1 failed/.test(failed.stdout), failed.stdout);
  const died = run({ dying: 'Deno.test("one", () => { Deno.kill(Deno.pid, "SIGKILL"); });' });
  assertEquals(died.code, 1);
  assertStringIncludes(died.stdout, "the process ended by SIGKILL");
});

Deno.test("task test runs what failed again if asked to, and names what passes then as flaky", () => {
  const second = `Deno.test("one", () => {
    const mark = new URL("mark", import.meta.url);
    try {
      Deno.readTextFileSync(mark);
    } catch {
      Deno.writeTextFileSync(mark, "");
      throw new Error("the first time");
    }
  });`;
  const flaky = run({ second }, "--retries=1");
  assertEquals(flaky.code, 0, flaky.stdout);
  for (const said of ["Error: the first time", "\nflaky: ", "\nok | 1 passed | 0 failed"]) {
    assertStringIncludes(flaky.stdout, said);
  }
  assertEquals(run({ second }).code, 1);
  const failing = run({ failing: 'Deno.test("one", () => { throw new Error("each time") });' }, "--retries=2");
  assertEquals(failing.code, 1);
  assertEquals(failing.stdout.match(/once more, alone/g)?.length, 2);
  assert(!failing.stdout.includes("flaky: "), failing.stdout);
});

Deno.test("task test fails if tests that pass leave files behind, names them, and removes them", () => {
  withFolder((folder) => {
    const forgotten = 'Deno.makeTempFileSync({ prefix: "forgotten-" }); Deno.makeTempDirSync({ prefix: "empty-" });';
    const text = `Deno.test("one", () => { ${forgotten} }); Deno.test("two", () => {});`;
    Deno.writeTextFileSync(`${folder}/careless_test.ts`, text);
    const temporary = `${folder}/temporary`;
    Deno.mkdirSync(temporary);
    const env = { TMPDIR: temporary };
    const { code, stdout } = runProgram("tools/test/main.ts", [`${folder}/careless_test.ts`], { env });
    assertEquals(code, 1, stdout);
    assert(/left files behind in the folder for temporary files: .*forgotten-\w+/.test(stdout), stdout);
    assert(/left files behind in the folder for temporary files: .*empty-\w+/.test(stdout), stdout);
    assert(/\nFAILED \| 2 passed \| 1 failed/.test(stdout), stdout);
    assertEquals([...Deno.readDirSync(temporary)], []);
  });
});

Deno.test("task test leaves out no test file, and runs none twice", () => {
  const files = batchesOf([]).flatMap(({ args }) => args.filter((arg) => arg.endsWith("_test.ts")));
  assertEquals(new Set(files).size, files.length);
  assert(files.includes("tests/tools/test_runner_test.ts") && files.length > 300);
});

Deno.test("task test refuses what is not there, and odd options", () => {
  for (const args of [["tests/nowhere"], ["--jobs=0"], ["--retries=some"], ["--nonsense"]]) {
    assertEquals(runProgram("tools/test/main.ts", args).code, 2, args.join());
  }
});

Deno.test("a test file that runs without its preload says how to run it", () => {
  withFolder((folder) => {
    const require = new URL("../support/require.ts", import.meta.url);
    Deno.writeTextFileSync(`${folder}/one_test.ts`, `import { needs } from "${require}"; needs("a part", true);`);
    const { code, output } = runTests([`${folder}/one_test.ts`]);
    assertEquals(code, 1, output);
    assertStringIncludes(output, "run `deno task test FILE`, or add --preload=tests/support/preload.ts");
  });
});
