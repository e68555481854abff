import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readPng } from "../../../../workbench/runs/testing/golden.ts";
import type { GpuTestReport, GpuTestResult } from "../../../../workbench/runs/testing/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { canBundle } from "../../../../tools/build/bundle.ts";
import { tinyVariant } from "../../../loader/tiny.ts";
import { needs } from "../../../support/require.ts";
import { run, runTests } from "../../../support/subprocess.ts";
import { withFolder, withFolderAsync } from "../../../support/temporary.ts";
import { ALL_KINDS, allKinds, BOTH, removeLeft, runKinds } from "./run_all_kinds.ts";

const NEEDS = needs("Mesa lavapipe", lavapipePath());

const BUNDLES = await canBundle();

Deno.test.afterAll(removeLeft);

/** The result of a test of all kinds on lavapipe. */
function ended(test: string): GpuTestResult {
  return allKinds().results.find((each) => each.test === test)!;
}

Deno.test("gpuTest() runs a test in a process of its own and reports what it took", NEEDS, () => {
  const { status, device, measured, repro } = ended("passes");
  assertEquals([status, repro], ["passed", undefined]);
  assertMatch(device!, /^llvmpipe .*, Vulkan 1\.\d\.\d+$/);
  assert(measured!.gpu! > 0 && measured!.cpu > 0 && measured!.wall > 0);
  assertStringIncludes(allKinds().output, "the device took number");
});

Deno.test("gpuTest() ends with a table of tests and drivers", NEEDS, () => {
  const lines = allKinds().output.split("\n"), first = lines.findIndex((line) => /^ +lvp$/.test(line));
  const cells = lines.slice(first + 1, first + 11).map((line) => line.split(/ {2,}/));
  assertMatch(cells[0].join(), /^passes,[\d.e-]+ ms$/);
  assertEquals(cells.slice(1), [
    ["has another picture", "failed"],
    ["takes too long", "failed"],
    ["throws", "failed"],
    ["crashes", "crashed"],
    ["crashes in a command", "crashed"],
    ["lacks an extension", "skipped"],
    ["waits for ever", "timed out"],
    ["computes for ever", "timed out"],
    ["never yields", "timed out"],
  ]);
});

Deno.test("gpuTest() leaves the picture and the difference of one that does not match its golden file", NEEDS, () => {
  const { reason } = ended("has another picture"), { folder } = allKinds();
  const base = `${folder}/a-triangle-is-drawn.lvp`;
  for (const words of ["of 12288 pixels differ", `${base}.actual.png`, `${base}.expected.png`, `${base}.diff.png`]) {
    assertStringIncludes(reason!, words);
  }
  const actual = readPng(`${base}.actual.png`), difference = readPng(`${base}.diff.png`);
  const at = (x: number, y: number) => 4 * (y * 128 + x);
  assertEquals([...actual.data.subarray(at(64, 60), at(65, 60))], [255, 255, 0, 255]);
  const [red, , blue] = difference.data.subarray(at(64, 60)), corner = difference.data.subarray(0, 3);
  assert(red > 170 && blue === 0, "red where they differ");
  assert(corner[0] === corner[1] && corner[1] === corner[2] && corner[0] > 190, "pale and grey where they don't");
});

Deno.test("gpuTest() fails a test over its budget and says what was measured", NEEDS, () => {
  const { status, reason } = ended("takes too long");
  assertEquals(status, "failed");
  assertMatch(reason!, /Over budget: the device took [\d.]+ ms of 1e-9; device [\d.]+ ms, processor [\d.]+ ms, in all/);
});

Deno.test("gpuTest() has the stack of what a test throws", NEEDS, () => {
  const { status, reason } = ended("throws");
  assertEquals(status, "failed");
  assertStringIncludes(reason!, "AssertionError");
  assertStringIncludes(reason!, `${ALL_KINDS}:`);
});

Deno.test("gpuTest() says in which command a test hung, and leaves no process behind", NEEDS, () => {
  for (const [test, limit] of [["waits for ever", 1000], ["computes for ever", 3000]] as const) {
    const { status, reason } = ended(test);
    assertEquals([status, reason], [
      "timed out",
      `it was in vkWaitForFences after ${limit} ms, and its process was ended`,
    ]);
  }
  assertStringIncludes(ended("never yields").reason!, "it was in the test itself after 1000 ms");
  assertEquals(processesOf(ALL_KINDS), []);
});

Deno.test("gpuTest() fails a test whose process crashes", NEEDS, () => {
  const { status, reason } = ended("crashes");
  assertEquals([status, reason], ["crashed", "its process ended with SIGSEGV; it was in the test itself"]);
  const inCommand = ended("crashes in a command").reason;
  assertEquals(inCommand, "its process ended with SIGSEGV; it was in vkGetBufferMemoryRequirements");
});

Deno.test("gpuTest() skips a driver that lacks what a test requires, and says what", NEEDS, () => {
  const { status, reason } = ended("lacks an extension"), { output } = allKinds();
  assertEquals(status, "skipped");
  assertMatch(reason!, /^lacks VK_EXT_that_nobody_has \(llvmpipe .*\)$/);
  assertStringIncludes(output, "lacks an extension (lvp) ... ignored");
  assertStringIncludes(output, "skipped: lacks an extension (lvp): lacks VK_EXT_that_nobody_has");
  assertStringIncludes(output, "is left out (lvp) ... ignored");
});

Deno.test("gpuTest() leaves a script of about thirty lines that fails as the test did", NEEDS, () => {
  const { repro } = ended("has another picture"), path = repro!.split(" ").at(-1)!;
  const lines = Deno.readTextFileSync(path).trim().split("\n");
  assert(lines.length >= 20 && lines.length <= 36, `${lines.length} lines`);
  assertStringIncludes(lines.join("\n"), repro!);
  const again = run("sh", ["-c", repro!.replace(/^deno /, `${Deno.execPath()} `)], { env: { NO_COLOR: "1" } });
  assertEquals(again.code, 1, again.output);
  assertStringIncludes(again.output, "llvmpipe");
  assertStringIncludes(again.stderr, "of 12288 pixels differ");
});

Deno.test("gpuTest() leaves a script that crashes as the test did", NEEDS, () => {
  const again = run("sh", ["-c", ended("crashes").repro!.replace(/^deno /, `exec ${Deno.execPath()} `)]);
  assertStringIncludes(again.output, "llvmpipe");
  assert(again.code === 139 || again.code === -11, `${again.code}`); // 128 + SIGSEGV
});

Deno.test("gpuTest() runs a test on every driver, and skips those without a device", {
  ignore: needs("Mesa lavapipe, SwiftShader", BOTH.every(Boolean)).ignore ||
    needs("C compiler (cc)", tinyVariant("none", "-DNO_GPU")).ignore,
}, () => {
  const { results, output } = runKinds(
    [...BOTH, tinyVariant("none", "-DNO_GPU")] as string[],
    "/^(passes|throws|tiny)/",
  );
  assertEquals(results.filter(({ test }) => test === "passes").map(({ driver, status }) => [driver, status]), [
    ["lvp", "passed"],
    ["swiftshader", "passed"],
  ]);
  assertEquals(output.match(/tiny_driver_none/g)?.length, 1, "one line says that the driver has no device");
  assertStringIncludes(output, "tiny_driver_none has no device: no test runs on it ... ignored");
  assertMatch(output, /\n +lvp +swiftshader\n/);
});

Deno.test("gpuTest() names the line of a test that failed, and JUnit counts what is skipped as skipped", NEEDS, () => {
  const { output, junit } = allKinds(), lines = Deno.readTextFileSync(ALL_KINDS).split("\n");
  const line = lines.findIndex((text) => text.startsWith('gpuTest("throws"')) + 1;
  assertStringIncludes(output, `throws (lvp) => ./${ALL_KINDS}:${line}:1`);
  assertMatch(junit, new RegExp(`<testcase name="throws \\(lvp\\)" classname="./${ALL_KINDS}" .*line="${line}"`));
  assertMatch(junit, /<testcase name="lacks an extension \(lvp\)"[^>]*>\s*<skipped\/>/);
});

Deno.test("gpuTest() reports the tests of several files, and replaces what an earlier run reported", NEEDS, () => {
  withFolder((folder) => {
    const report = `${folder}/report.json`, copy = "tests/workbench/runs/testing/programs/one_more.ts";
    Deno.writeTextFileSync(report, JSON.stringify({ run: "an earlier one", results: [{ file: "old" }] }));
    const env = { PUMICE_DRIVERS: lavapipePath()!, PUMICE_GPU_OUT: folder, PUMICE_GPU_REPORT: report };
    runTests([ALL_KINDS, copy, "--parallel", "--filter", "/^passes/"], { env });
    const { results } = JSON.parse(Deno.readTextFileSync(report)) as GpuTestReport;
    const files = new Set(results.map(({ file }) => file.slice(file.lastIndexOf("/") + 1)));
    assertEquals([...files], ["all_kinds.ts", "one_more.ts"]);
    assertEquals(results.filter(({ status }) => status === "passed").length, 2);
  });
});

Deno.test("gpuTest() leaves one file that fails on another machine as the test did", {
  ignore: NEEDS.ignore || !BUNDLES,
}, () => {
  const { bundle } = ended("has another picture");
  withFolder((folder) => {
    const name = bundle!.slice(bundle!.lastIndexOf("/") + 1), { folder: left } = allKinds();
    for (const file of [name, "a-triangle-is-drawn.lvp.expected.png"]) {
      Deno.copyFileSync(`${left}/${file}`, `${folder}/${file}`);
    }
    const args = [
      "run",
      "-A",
      "--no-config",
      "--no-remote",
      "--cached-only",
      `${folder}/${name}`,
      `--driver=${lavapipePath()}`,
    ];
    const again = run(Deno.execPath(), args, { env: { NO_COLOR: "1" } });
    assertEquals(again.code, 1, again.output);
    assertStringIncludes(again.stderr, "of 12288 pixels differ");
    assertStringIncludes(again.stderr, `${folder}/a-triangle-is-drawn.lvp.diff.png`);
  });
});

Deno.test("gpuTest() removes the script and the pictures of a failure once the test passes", NEEDS, () => {
  withFolder((folder) => {
    for (const ending of ["ts", "js"]) Deno.writeTextFileSync(`${folder}/passes.lvp.repro.${ending}`, "");
    const env = { PUMICE_DRIVERS: lavapipePath()!, PUMICE_GPU_OUT: folder };
    const { code, output } = runTests([ALL_KINDS, "--filter", "/^passes /"], { env });
    assertEquals([code, [...Deno.readDirSync(folder)]], [0, []], output);
  });
});

Deno.test(
  "gpuTest() that is ended itself ends the process of its test",
  NEEDS,
  () =>
    withFolderAsync(async (TMPDIR) => {
      const env = { PUMICE_DRIVERS: lavapipePath()!, NO_COLOR: "1", TMPDIR };
      const args = ["test", "-P", "--no-check", `--import-map=tools/offline_import_map.json`, SITTING];
      const cwd = new URL("../../../../", import.meta.url).pathname;
      const outer = new Deno.Command(Deno.execPath(), { args, env, cwd, stdout: "piped", stderr: "null" }).spawn();
      const MOST_TURNS = 1500;
      for (let turn = 0; turn < MOST_TURNS && processesOf(SITTING).length < 2; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      assertEquals(processesOf(SITTING).length, 2);
      outer.kill("SIGKILL");
      await Promise.all([outer.status, outer.stdout.cancel()]);
      for (let turn = 0; turn < MOST_TURNS && processesOf(SITTING).length > 0; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      assertEquals(processesOf(SITTING), []);
    }),
);
const SITTING = "tests/workbench/runs/testing/programs/sitting.ts";

/** The processes that run a file. */
function processesOf(file: string): string[] {
  const { stdout } = run("ps", ["-eo", "pid,args"]);
  return stdout.split("\n").filter((line) => line.includes(file) && line.includes("deno"));
}

Deno.test("gpuTest() refuses an odd PUMICE_UPDATE_GOLDENS once, and starts no test with it", NEEDS, () => {
  const program = new URL("programs/one_more.ts", import.meta.url).pathname;
  const env = { PUMICE_UPDATE_GOLDENS: "yes", PUMICE_DRIVERS: lavapipePath()! };
  const { code, output } = runTests([program], { env });
  assertEquals(code, 1, output);
  assertStringIncludes(output, 'PUMICE_UPDATE_GOLDENS is "yes"; give 1 to write golden pictures anew');
  assertEquals([output.includes("crashed"), output.includes("Run it again")], [false, false], output);
});
