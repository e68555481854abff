import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { batchesOf, testFiles } from "../../tools/test/batches.ts";
import { quickFiles } from "../../tools/test/quick.ts";
import { readRecords, refreshed } from "../../tools/test/record.ts";
import { mountable } from "../support/small_disk.ts";
import { runDeno, runProgram, runTests } from "../support/subprocess.ts";
import { withFolder } from "../support/temporary.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const CONFIG = new URL("../../deno.json", import.meta.url);
/** The user that owns nothing. */
const NOBODY = 65534;

/** Writes test files by name and runs them. */
function run(files: Readonly<Record<string, string>>, ...options: string[]) {
  return withFolder((folder) => {
    for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${folder}/${name}_test.ts`, text);
    // where every part is required, the parts that these files lack would not be skipped
    return runProgram("tools/test/main.ts", [...options, folder], { env: { PUMICE_REQUIRE_ALL: "0" } });
  });
}

Deno.test("task test tells how many passed, and folds skipped tests by the part that each needs", () => {
  const require = new URL("../support/require.ts", import.meta.url);
  const shared = `import { needs } from "${require}"; export const RADIO = needs("a radio", undefined);`;
  const use = 'Deno.test("one", () => {}); Deno.test("plays music", RADIO, () => {});';
  const other =
    'Deno.test("shows a film", needs("a screen", false), () => {}); Deno.test("tells news", RADIO, () => {});';
  const files = {
    first: `${shared} ${use}`,
    second: `import { RADIO } from "./first_test.ts"; import { needs } from "${require}"; ${other}`,
    third: 'Deno.test("apart", { ignore: true }, () => {});',
  };
  const folded = run(files);
  assertEquals(folded.code, 0, folded.stdout);
  for (
    const said of [
      "skipped: 2 need a radio\n",
      "skipped: 1 needs a screen\n",
      "skipped: 1 needs a part that the file looks for",
    ]
  ) {
    assertStringIncludes(folded.stdout, said);
  }
  assert(/\nok \| 1 passed \| 0 failed \| 4 ignored \(0:\d\d; [1-9] CPU seconds\)/.test(folded.stdout), folded.stdout);
  assert(!folded.stdout.includes("plays music"), folded.stdout);
  const named = run(files, "--verbose").stdout;
  for (const name of ["plays music", "shows a film", "tells news", "apart"]) {
    assertStringIncludes(named, `\n  ${name}\n`);
  }
});

Deno.test("test files of a folder share a process and their modules; each failure names its file and line", () => {
  const count = "globalThis.evaluated = (globalThis.evaluated ?? 0) + 1;";
  const failing = `import "./shared_test.ts";\n\nDeno.test("counts", () => { throw new Error(evaluated); });`;
  const { code, stdout } = run({
    shared: count,
    first: failing,
    second: failing.replace("counts", "counts, too"),
    third: "throw new Error('no module');",
    fourth: "setTimeout;\nDeno.test('leaks', () => { setTimeout(() => {}, 10_000); });",
  });
  assertEquals(code, 1, stdout);
  assertEquals(stdout.match(/^ *error: Error: 1$/gm)?.length, 2, stdout);
  assert(/counts => .*\/first_test\.ts:3:6/.test(stdout), stdout);
  assert(/counts, too => .*\/second_test\.ts:3:6/.test(stdout), stdout);
  assert(/\/third_test\.ts is imported \.\.\. FAILED/.test(stdout), stdout);
  assert(/leaks => .*\/fourth_test\.ts:2:6\n *error: Leaks detected/.test(stdout), stdout);
});

Deno.test("task test --slowest names the files and tests that take longest, and no step", () => {
  const wait = "await new Promise((resolve) => setTimeout(resolve, 300));";
  const slow = `Deno.test("sleeps", async (test) => { await test.step("deeply", async () => { ${wait} }); });`;
  const { stdout } = run({ slow, fast: 'Deno.test("one", () => {});' }, "--slowest=1");
  assert(/\nslowest files:\n +0\.\d s {2}\S+\/slow_test\.ts\n/.test(stdout), stdout);
  assert(/\nslowest tests:\n +0\.\d s {2}sleeps \(\S+\/slow_test\.ts:1\)\n/.test(stdout), stdout);
  assert(!stdout.includes("deeply"), stdout);
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

Deno.test("task test keeps temporary files in memory where this user may mount", { ignore: !mountable() }, () => {
  // The project is on a disk, unlike the folder of this very test.
  const temporary = Deno.makeTempDirSync({ dir: ROOT, prefix: ".pasted-" });
  const look = 'new Deno.Command("stat", { args: ["-f", "-c", "%T", Deno.env.get("TMPDIR")] }).outputSync().stdout';
  const text = `Deno.test("one", () => { throw new Error("on " + new TextDecoder().decode(${look})); });`;
  try {
    withFolder((folder) => {
      Deno.writeTextFileSync(`${folder}/looking_test.ts`, text);
      const { code, stdout, output } = runProgram("tools/test/main.ts", [folder], { env: { TMPDIR: temporary } });
      assertEquals([code, /Error: on (\w+)/.exec(stdout)?.[1]], [1, "tmpfs"], output);
      assertEquals([...Deno.readDirSync(temporary)], []);
    });
  } finally {
    Deno.removeSync(temporary, { recursive: true });
  }
});

Deno.test("task test leaves out no test file, and runs none twice", () => {
  const there = testFiles(), files = batchesOf(there, readRecords()).flatMap(({ files }) => files);
  assertEquals(files.toSorted(), there);
  assertEquals(new Set(files).size, files.length);
  assert(files.includes("tests/tools/test_runner_test.ts") && files.length > 300);
});

Deno.test("the quick set has what is short, least with programs, one file with a child of each room, and unknown files", () => {
  const records = {
    "tests/a/b/light_test.ts": { seconds: 0.1, deno: 0, others: 0 },
    "tests/a/b/soak_test.ts": { seconds: 30, deno: 0, others: 0 },
    "tests/a/b/dear_child_test.ts": { seconds: 9, deno: 4, others: 0 },
    "tests/a/b/deep/child_test.ts": { seconds: 5, deno: 1, others: 1 },
    "tests/a/c/server_test.ts": { seconds: 0.6, deno: 0, others: 1 },
    "tests/a/c/tool_test.ts": { seconds: 0.5, deno: 0, others: 1 },
    "tests/tools/a/child_test.ts": { seconds: 5, deno: 1, others: 0 },
  };
  const fresh = "tests/a/c/fresh_test.ts", files = [...Object.keys(records), fresh];
  assertEquals(quickFiles(files, records), [
    "tests/a/b/light_test.ts",
    "tests/a/b/deep/child_test.ts",
    "tests/a/c/tool_test.ts",
    fresh,
  ]);
});

Deno.test("a run of everything renews the records that would say something else, and no other", () => {
  const before = {
    same: record(2, 1),
    slower: record(2, 0),
    starts: record(1, 0),
    partial: record(5, 1),
    gone: record(1, 0),
  };
  const seen = {
    same: record(2.9, 3),
    slower: record(4, 0),
    starts: record(1, 1),
    partial: record(0, 0),
    fresh: record(1, 0),
  };
  seen.partial.isPartial = true;
  const { same, partial } = before, { slower, starts, fresh } = seen;
  assertEquals(refreshed(before, seen), { same, slower, starts, partial, fresh });
});

function record(seconds: number, deno: number) {
  return { seconds, deno, others: 0, isPartial: false };
}

Deno.test("the record of the test files is not stale", () => {
  const records = readRecords(), files = testFiles(), renew = "run `deno task test --all` on a quiet machine";
  const gone = Object.keys(records).filter((file) => !files.includes(file));
  const unknown = files.filter((file) => !records[file]);
  assertEquals(gone, [], `tools/test/record.json has files that are gone: ${renew}`);
  assert(unknown.length < files.length / 10, `tools/test/record.json lacks ${unknown.length} files: ${renew}`);
});

Deno.test("task test refuses what is not there, and odd options", () => {
  for (
    const args of [["tests/nowhere"], ["--jobs=0"], ["--retries=some"], ["--nonsense"], ["--all", "tests/ffi"], [
      "docs",
    ]]
  ) {
    assertEquals(runProgram("tools/test/main.ts", args).code, 2, args.join());
  }
});

Deno.test("task test runs with LD_LIBRARY_PATH, a locale that the machine lacks, no session and another user's home", () => {
  withFolder((folder) => {
    const home = `${folder}/home`;
    Deno.mkdirSync(home);
    if (Deno.uid() === 0) Deno.chownSync(home, NOBODY, NOBODY);
    const text = `Deno.test("all is well", () => {
      const { HOME, XDG_RUNTIME_DIR, MESA_SHADER_CACHE_DIR: shaders } = Deno.env.toObject();
      if (!shaders.startsWith(Deno.cwd())) throw new Error(shaders);
      for (const path of [HOME, XDG_RUNTIME_DIR]) {
        if (Deno.statSync(path).uid !== Deno.uid()) throw new Error(path);
      }
      const { stderr } = new Deno.Command("bash", { args: ["-c", "true"] }).outputSync();
      if (stderr.length > 0) throw new Error(new TextDecoder().decode(stderr));
    });`;
    Deno.writeTextFileSync(`${folder}/one_test.ts`, text);
    const [, command] = JSON.parse(Deno.readTextFileSync(CONFIG)).tasks.test.command.split("&& deno ");
    const env = {
      LD_LIBRARY_PATH: "/nowhere",
      LC_ALL: "xx_XX.UTF-8",
      HOME: Deno.uid() === 0 ? home : "/",
    };
    const given = runDeno([...command.split(" "), folder], { env, without: /^XDG_/ });
    assertEquals(given.code, 0, given.output);
  });
});

Deno.test("no task lists the programs that it may start, which Deno refuses where LD_LIBRARY_PATH is set", () => {
  const tasks: Record<string, { command: string }> = JSON.parse(Deno.readTextFileSync(CONFIG)).tasks;
  const listing = Object.keys(tasks).filter((name) => tasks[name].command.includes("--allow-run="));
  assertEquals(listing, []);
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
