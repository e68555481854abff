import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { EXAMPLES, NATIVE, OTHER_EXAMPLES } from "../../../tools/fuzz/programs/catalogue.ts";
import { checkProgram, otherPictures, type Row } from "../../../tools/fuzz/programs/check.ts";
import { checkTests, judged, recordingsIn } from "../../../tools/fuzz/programs/tests.ts";
import { readRecording, writeRecording } from "../../../workbench/layers.ts";
import { isGood, tableLines } from "../../../tools/fuzz/programs/table.ts";
import { lavapipePath, swiftshaderPath } from "../../../tools/setup/parts.ts";
import { NEEDS_PROGRAMS } from "../../workbench/layer_server/programs.ts";
import { needs } from "../../support/require.ts";
import { run } from "../../support/subprocess.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { startXServer } from "../../support/x_server.ts";

const byName = (name: string) => [...EXAMPLES, ...NATIVE].find((each) => each.name === name)!;

Deno.test("the self-check has each example, or says why not", () => {
  const files = [...Deno.readDirSync("examples")].flatMap(({ name }) => /^(\w+)\.ts$/.exec(name)?.[1] ?? []);
  assertEquals([...EXAMPLES.map(({ name }) => name), ...Object.keys(OTHER_EXAMPLES)].sort(), files.sort());
});

Deno.test("recordings of examples replay to every byte that the example read", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore || needs("SwiftShader", swiftshaderPath()).ignore,
}, async () => {
  const runs = [["compute", "lvp", lavapipePath()], ["triangle", "swiftshader", swiftshaderPath()]] as const;
  for (const [program, library, driver] of runs) {
    const row = await withFolderAsync((folder) => checkProgram(byName(program), driver!, folder));
    assertEquals({ ...row, seconds: 0 }, {
      ...{
        name: `${program}, ${library}`,
        reads: 1,
        pictures: 0,
        differing: [],
        gaps: [],
        trouble: undefined,
        seconds: 0,
      },
    });
  }
});

Deno.test("the recording of vkcube replays to every picture that vkcube presented", NEEDS_PROGRAMS, async () => {
  await using server = await startXServer();
  const cube = { ...byName("vkcube"), line: ["vkcube", "--c", "5"], env: { DISPLAY: server.display } };
  await withFolderAsync(async (folder) => {
    const row = await checkProgram(cube, lavapipePath()!, folder);
    assertEquals([row.pictures, row.differing, row.gaps, row.trouble], [5, [], [], undefined]);
    const shown = Deno.readTextFileSync(`${folder}/shown`).split("\n").slice(0, -1);
    assertEquals(new Set(shown).size, 5, "the cube turns");
  });
});

Deno.test(
  "checkProgram() tells the gaps of a recording, and a program that does not start",
  NEEDS_PROGRAMS,
  async () => {
    const check = (line: readonly string[]) =>
      withFolderAsync((folder) => checkProgram({ name: "one", kind: "native", line }, lavapipePath()!, folder));
    assertStringIncludes((await check(["/nowhere/program"])).trouble!, "there is no such program");
    assertStringIncludes((await check(["false"])).trouble!, "exit code 1");
  },
);

Deno.test("checkTests() replays the loaders of a file of tests, and finds what differs", {
  ignore: needs("Mesa lavapipe", lavapipePath()).ignore || needs("SwiftShader", swiftshaderPath()).ignore,
}, () =>
  withFolderAsync(async (folder) => {
    const row = await checkTests("tests/wsi/gpu/open_gpu_test.ts", folder);
    assertEquals([row.differing, row.gaps, row.trouble, row.reads > 10], [[], [], undefined, true]);
    const [{ path }] = recordingsIn(folder), stream = readRecording(path);
    const read = stream.lines.find((line) => "read" in line)!;
    Object.assign(read, { content: { bytes: "0102030405" } });
    writeRecording(path, stream);
    const { differing } = await judged(recordingsIn(folder));
    assertEquals(differing.length, 1);
    assertMatch(differing[0], /^tests\/wsi\/gpu\/\w+\.ts:\d+: read 1, of VkBuffer#\d+, differs$/);
  }));

Deno.test("otherPictures() allows a program that is ended one picture more or less", () => {
  assertEquals(otherPictures(["a", "b"], ["a", "b"], false), []);
  assertEquals(otherPictures(["a", "b"], ["a", "c"], true), ["picture 2 differs"]);
  assertEquals(otherPictures(["a", "b"], ["a"], true), []);
  assertEquals(otherPictures(["a", "b"], ["a"], false), ["the program presented 2 pictures, the replay 1"]);
  assertEquals(otherPictures(["a"], ["a", "b", "c"], true), ["the program presented 1 pictures, the replay 3"]);
});

Deno.test("the table has what differs, the gaps, and what proves nothing", () => {
  const row: Row = {
    ...{ name: "cube", reads: 0, pictures: 2, differing: [], gaps: [], trouble: undefined, seconds: 1.25 },
  };
  const rows: Row[] = [
    row,
    { ...row, name: "other", differing: ["picture 2 differs"] },
    { ...row, name: "gap", pictures: 0, gaps: ["Nobody saw it"] },
    { ...row, name: "silent", pictures: 0 },
    { ...row, name: "none", pictures: 0, trouble: "exit code 1" },
  ];
  assertEquals(tableLines(rows), [
    "program  reads  pictures  differing  gaps  seconds",
    "cube         0         2          0     0      1.3",
    "other        0         2          1     0      1.3",
    "gap          0         0          0     1      1.3",
    "silent       0         0          0     0      1.3",
    "none         0         0          0     0      1.3",
    "",
    "other: picture 2 differs",
    "gap: Nobody saw it",
    "silent: it read no buffer and presented nothing, so that nothing is proven",
    "none: not recorded: exit code 1",
    "",
    "5 programs: 0 reads and 4 pictures compared, 1 with a difference that no gap names, 1 with a gap, " +
    "1 with nothing to compare, 1 not recorded",
  ]);
  assertEquals([isGood(rows), isGood([row, rows[2], rows[3]])], [false, true]);
});

Deno.test("test:fuzz --programs refuses a name that no program has, and lists the names", () => {
  const args = ["run", "-A", "--no-check", "tools/fuzz/main.ts", "--self-check", "--programs=nothing_such"];
  const { code, stderr } = run(Deno.execPath(), args);
  assertEquals(code, 2);
  assertStringIncludes(
    stderr,
    '--programs has "nothing_such"; give a number, "examples", "native", "tests", or parts of:',
  );
});
