import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { RunOutcome } from "../../../workbench/runs/deqp/run_tasks.ts";
import { githubLines, runText, testJunit } from "../../../workbench/runs/test/text.ts";
import type { GpuTestDetails } from "../../../workbench/runs/test/work.ts";
import { parseResults, resultLines } from "../../../workbench/runs/deqp/results_file.ts";
import { lavapipePath } from "../../../tools/setup/parts.ts";
import { commandLine } from "../../support/command_line.ts";
import { needs } from "../../support/require.ts";
import { type Outcome, run, runProgram } from "../../support/subprocess.ts";
import { withFolder, withFolderAsync } from "../../support/temporary.ts";

const NEEDS = needs("Mesa lavapipe", lavapipePath()), PROGRAMS = "tests/cli/test/programs";
const ODD = `${PROGRAMS}/odd.ts`, LVP = `--driver=${lavapipePath()}`;

/** Runs `test` in a process of its own: its tests would otherwise be those of this file. */
function test(folder: string, ...args: string[]): Outcome {
  const env = { PUMICE_GPU_OUT: folder, TEST_PUMICE_LEFT: `${folder}/left`, GITHUB_ACTIONS: "", PUMICE_DRIVERS: "" };
  return runProgram("cli.ts", ["test", ...args], { env, seconds: 120 });
}

interface Ran {
  readonly outcome: RunOutcome<GpuTestDetails>;
  readonly code: number;
  /** The process that a test has left behind. */
  readonly left: string;
}

let ran: Ran | undefined;

/** The tests of all kinds, run once; all that look at them share the outcome. */
function odd(): Ran {
  return ran ??= withFolder((folder) => {
    const files = [ODD, `${PROGRAMS}/unloadable.ts`, `${PROGRAMS}/equal_names.ts`];
    const { code, stdout } = test(folder, ...files, LVP, "--json", "--jobs=2", "--retries=0");
    return { code, outcome: JSON.parse(stdout), left: Deno.readTextFileSync(`${folder}/left`) };
  });
}

/** The result of a test of this name, and its message. */
function ended(name: string): string {
  const found = odd().outcome.results.find(({ details }) => details?.place.test === name)!;
  return `${found.status}: ${found.message.split("\n")[0]}`;
}

Deno.test("cli test gives every test on every driver one result, in the order of files and tests", NEEDS, () => {
  const { outcome: { results, counts }, code } = odd();
  assertEquals(results.map(({ name, status }) => `${name.replace(`${PROGRAMS}/`, "")}: ${status}`), [
    "odd.ts / passes / lvp: Pass",
    "odd.ts / has another picture / lvp: Fail",
    'odd.ts / <b> & "c", d / e\n\x1b[31m #12 / lvp: Fail',
    `odd.ts / has a name ${"that is too long for a file ".repeat(20)} / lvp: InternalError`,
    "odd.ts / is ignored / lvp: Skip",
    "odd.ts / lacks an extension / lvp: Skip",
    "odd.ts / leaves / lvp: Crash",
    "odd.ts / chats / lvp: Timeout",
    "odd.ts / leaves a process behind / lvp: Pass",
    "odd.ts / crashes in a command / lvp: Crash",
    "unloadable.ts: InternalError",
    "equal_names.ts: InternalError",
  ]);
  assertEquals([code, counts.passed, counts.failed + counts.crashed + counts["timed out"], counts.skipped], [
    1,
    2,
    8,
    2,
  ]);
});

Deno.test("cli test says why a test did not pass, and in which command it was", NEEDS, () => {
  assertMatch(ended("has another picture"), /^Fail: Error: There is no golden file .*none\/has-another-picture.png/);
  assertMatch(ended("lacks an extension"), /^Skip: lacks VK_NO_such \(llvmpipe .*\)$/);
  assertMatch(ended("leaves"), /^Crash: its process ended without running it/);
  assertEquals(ended("chats"), "Timeout: it was in the test itself after 500 ms, and its process was ended");
  assertMatch(ended("crashes in a command"), /SIGSEGV; it was in vkGetBufferMemoryRequirements$/);
  const crashed = odd().outcome.results.find(({ name }) => name.includes("crashes in"))!.details!.result!;
  assertEquals(crashed.where, "in vkGetBufferMemoryRequirements");
  assertStringIncludes(crashed.repro!, "crashes-in-a-command.lvp.repro.ts");
  const picture = odd().outcome.results[1].details!.result!.picture!;
  assertMatch(picture.actual, /has-another-picture\.lvp\.actual\.png$/);
  const files = odd().outcome.results.slice(-2).map(({ message }) => message);
  assertStringIncludes(files[0], "no tests <here>");
  assertStringIncludes(files[1], 'Cannot have two tests of the name "twice"');
});

Deno.test("cli test keeps a part of an endless output, and ends a process that a test leaves behind", NEEDS, () => {
  const { results } = odd().outcome, chats = results.find(({ name }) => name.includes("chats"))!;
  const { output } = chats.details!;
  assert(output!.startsWith("chatchat") && output!.length < 40_000, `${output!.length} characters`);
  assertMatch(output!, /\n… \d+ characters …\n/);
  const { stdout } = run("ps", ["-o", "stat=", "-p", odd().left]);
  assertMatch(stdout, /^(?:Z.*)?\s*$/, "ended, if perhaps not yet taken note of");
});

Deno.test(
  "cli test writes names of any characters to text, JUnit's XML, annotations and files of results",
  NEEDS,
  () => {
    const { outcome } = odd(), junit = testJunit(outcome), text = runText(outcome);
    assert(junit.includes('name="&lt;b&gt; &amp; &quot;c&quot;, d / e&#10;?[31m #12" classname="'));
    assertMatch(junit.slice(0, 200), /<testsuites tests="12" failures="8" skipped="2">/);
    // deno-lint-ignore no-control-regex
    const found = /[\u0000-\u0009\u000b-\u001f]/.exec(junit + text);
    assertEquals(found && JSON.stringify(found[0]), null, "no sign that a terminal or XML would not take");
    const annotated = githubLines(outcome)[1];
    assertStringIncludes(
      annotated,
      `::error file=${ODD},line=6,title=<b> & "c"%2C d / e%0A\x1b[31m #12 (lvp)::failed: Error:`,
    );
    const { results } = outcome, read = parseResults(resultLines(results));
    assertEquals(read.map(({ name, status }) => [name, status]), results.map(({ name, status }) => [name, status]));
  },
);

Deno.test(
  "cli test takes a baseline, skips, a filter and a part; names of results are patterns",
  NEEDS,
  () =>
    withFolder((folder) => {
      const { results } = odd().outcome;
      Deno.writeTextFileSync(`${folder}/baseline`, resultLines(results));
      Deno.writeTextFileSync(`${folder}/skips`, `${ODD} / chats\n${ODD} / leaves a process behind / lvp\n`);
      const known = [`--baseline=${folder}/baseline`, `--skips=${folder}/skips`];
      const { code, stdout } = test(
        folder,
        ODD,
        LVP,
        ...known,
        "--filter=/passes|picture|chats|process/",
        "--junit=/dev/null",
        `--html=${folder}/page`,
      );
      assertEquals(code, 0);
      const page = Deno.readTextFileSync(`${folder}/page/index.html`);
      const heads = [...page.matchAll(/<tr data-text.*?<th scope="row">(.*?)<\/th>/g)].map(([, head]) => head);
      assertEquals(heads, ["passes", "has another picture", "chats", "leaves a process behind"]);
      assertStringIncludes(stdout, "4 results: 1 passed, 1 expected, 2 skipped\nThe run passed");
      const part = (index: number) =>
        JSON.parse(test(folder, ODD, LVP, `--shard=${index}/2`, `--skips=${folder}/all`, "--json").stdout);
      Deno.writeTextFileSync(`${folder}/all`, `${ODD}\n`);
      const names = [1, 2].flatMap((index) => part(index).results.map(({ name }: { name: string }) => name));
      assertEquals(names.toSorted(), results.slice(0, 10).map(({ name }) => name).toSorted());
    }),
);

Deno.test(
  "cli test refuses what makes no sense with exit code 2, and says what to do",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      const rows: [string[], string][] = [
        [[], "test: FILES is missing"],
        [["nowhere.ts"], 'test: "nowhere.ts" is not there'],
        [["tests/fixtures"], 'test: "tests/fixtures" has no test files; their names end in _test.ts'],
        [[`${PROGRAMS}/without_tests.ts`, LVP], `found no test to run\n  ${PROGRAMS}/without_tests.ts has no gpuTest`],
        [[ODD, LVP, "--filter=nothing"], "--filter leaves no test"],
        [[ODD, "--driver=nobodys"], 'There is no driver "nobodys": '],
        [[ODD, "--driver=/no/such.so"], '--driver: "/no/such.so" is not there'],
        [[ODD, "--shard=3/2"], '--shard: "3/2" is no part; give such as 1/4'],
        [[ODD, "--filter=/(/"], "--filter: Invalid regular expression"],
        [[ODD, "--jobs=0"], '--jobs: "0" is not a whole number of 1 or more'],
        [[ODD, LVP, `--junit=${folder}/none/junit.xml`], `--junit: "${folder}/none/junit.xml" cannot be written`],
        [[ODD, LVP, `--baseline=${folder}/none`], `--baseline: "${folder}/none" is not there`],
      ];
      for (const [args, words] of rows) {
        const { code, text, stdout } = await commandLine("test", ...args); // no test of this process is run
        assertStringIncludes(text, words);
        assertEquals([code, stdout], [2, ""], args.join(" "));
      }
    }),
);

Deno.test("cli test refuses an odd PUMICE_UPDATE_GOLDENS before it starts a test", () => {
  const env = { PUMICE_UPDATE_GOLDENS: "0" }, { code, stdout, stderr } = runProgram("cli.ts", ["test", ODD], { env });
  assertEquals([code, stdout], [2, ""], stderr);
  assertStringIncludes(stderr, 'test: PUMICE_UPDATE_GOLDENS is "0"; give 1 to write golden pictures anew');
});
