import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { GROUPS } from "../../bench/groups.ts";
import { measuredGroups } from "../../bench/main.ts";
import { exponentOf, FLAT, growthOf, LINEAR, type Subject } from "../../bench/growth/subject.ts";
import type { Parts } from "../../bench/parts.ts";
import { reportFiles } from "../../bench/report/page.ts";
import { keepRecord, type MachineRecord, readRecords } from "../../bench/report/record.ts";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { readBase, worseRatios } from "../../bench/report/worse.ts";
import { needs } from "../support/require.ts";
import { taskWords } from "../support/task_words.ts";

/** The charts' library ticks once more after a chart is disposed of; this ends after that tick. */
const TICK = 50;
async function report(...given: Parameters<typeof reportFiles>): Promise<Map<string, string>> {
  const files = reportFiles(...given);
  await new Promise((resolve) => setTimeout(resolve, TICK));
  return files;
}

const ROOT = new URL("../../", import.meta.url), NEEDS_LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const ratio = (name: string, value: number, goal?: number) => ({ name, meaning: "what it is", value, unit: "×", goal });
const machine = (name: string, values: Record<string, number>): MachineRecord => ({
  machine: name,
  versions: { Deno: "2" },
  groups: {
    calls: {
      date: "2026-01-02",
      figures: Object.entries(values).map(([figure, value]) => ratio(figure, value, 1.5)),
    },
  },
});

Deno.test("the page about the benchmarks and its charts are what the records say", async () => {
  const files = await report(readRecords(), [...GROUPS.keys()]);
  for (const [path, text] of files) assertEquals(Deno.readTextFileSync(new URL(path, ROOT)), text, path);
  const charts = [...Deno.readDirSync(new URL("docs/benchmarks/", ROOT))].map(({ name }) => `docs/benchmarks/${name}`);
  assertEquals(charts.sort(), [...files.keys()].filter((path) => path.endsWith(".svg")).sort());
});

Deno.test("the report shows machines side by side, a figure above its goal bold, and one that was not measured as nothing", async () => {
  const records = [machine("one", { met: 1.2, missed: 1.6 }), machine("other", { met: 20, alone: 0.5 })];
  const files = await report(records, ["calls", "layers"]), page = files.get("docs/benchmarks.md")!;
  assertStringIncludes(page, "| figure | meaning | goal | one | other |");
  assertStringIncludes(page, "| `met` | what it is | ≤ 1.5 × | 1.20 × | **20.0 ×** |");
  assertStringIncludes(page, "| `missed` | what it is | ≤ 1.5 × | **1.60 ×** |  |");
  assertStringIncludes(page, "| `alone` | what it is | ≤ 1.5 × |  | 0.50 × |");
  assert(!page.includes("## layers"), "a group without figures has no chapter");
  const light = files.get("docs/benchmarks/calls_light.svg")!, dark = files.get("docs/benchmarks/calls_dark.svg")!;
  for (const text of ["met", "missed", "alone", "1.60 ×", "→ 20.0 ×"]) assertStringIncludes(light, `>${text}<`);
  assert(light !== dark);
});

Deno.test("a group that cannot be measured loses no other: each is kept as soon as it is measured", async () => {
  const kept: string[] = [], told: string[] = [];
  const said = console.error;
  console.error = (text: string) => told.push(text);
  try {
    const measured = await measuredGroups(["one", "bad", "other"], (name) => {
      if (name === "bad") throw new Error(`no part, after ${kept}`);
      return Promise.resolve([ratio(name, 1)]);
    }, (name) => Promise.resolve(void kept.push(name)));
    assertEquals([[...measured.keys()], kept], [["one", "other"], ["one", "other"]]);
  } finally {
    console.error = said;
  }
  assertEquals(told.length, 1);
  assertStringIncludes(told[0], "not measured: bad: Error: no part, after one");
});

Deno.test("a record keeps the groups that were not measured again", () => {
  const folder = Deno.makeTempDirSync(), url = new URL(`file://${folder}/`);
  try {
    keepRecord({ ...machine("a b", { x: 1.23456 }) }, url);
    const figures = [ratio("y", 2)];
    keepRecord({ ...machine("a b", {}), groups: { layers: { date: "2026-01-03", figures } } }, url);
    const [record, ...others] = readRecords(url);
    assertEquals([Object.keys(record.groups), others.length], [["calls", "layers"], 0]);
    assertEquals(record.groups.calls.figures[0].value, 1.235);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("a ratio that grew by more than a quarter is told, a time is not", () => {
  const base = new Map([["same", 1], ["worse", 1], ["time", 1]]);
  const time = { ...ratio("time", 9), unit: "ns" };
  assertEquals(worseRatios(base, [ratio("same", 1.25), ratio("worse", 1.26), ratio("new", 9), time]), [
    { name: "worse", before: 1, now: 1.26 },
  ]);
});

Deno.test("a base is what --json printed or a record, and nothing else", () => {
  const path = Deno.makeTempFileSync();
  try {
    Deno.writeTextFileSync(path, `{ "table_vs_c": 0.9 }`);
    assertEquals([...readBase(path)], [["table_vs_c", 0.9]]);
    Deno.writeTextFileSync(path, JSON.stringify(machine("a", { x: 1 })));
    assertEquals([...readBase(path)], [["x", 1]]);
    for (const text of ["{}", `{ "a": "b" }`]) {
      Deno.writeTextFileSync(path, text);
      let said = "";
      try {
        readBase(path);
      } catch (error) {
        said = (error as Error).message;
      }
      assertStringIncludes(said, "has no figures: give a file that deno task bench --json printed");
    }
  } finally {
    Deno.removeSync(path);
  }
});

for (
  const { base, code, text } of [
    { base: `{ "table_vs_c": 0.01 }`, code: 1, text: "0.0100 × in the base: worse by more than 25 %" },
    { base: `{ "table_vs_c": 100 }`, code: 0, text: "measuring dispatch tables …\n" },
    { base: `no JSON`, code: 2, text: "Cannot read the base: " },
  ]
) {
  Deno.test(`bench --compare ends with ${code} beside ${base}`, NEEDS_LAVAPIPE, async () => {
    const path = Deno.makeTempFileSync();
    Deno.writeTextFileSync(path, base);
    const { code: ended, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", "--quiet", "--no-check", "--import-map=tools/offline_import_map.json"],
        ...["bench/main.ts", `--compare=${path}`, "dispatch tables"],
      ],
      cwd: ROOT,
      stdout: "null",
    }).output();
    Deno.removeSync(path);
    const said = new TextDecoder().decode(stderr);
    assertStringIncludes(said, text);
    assertEquals(ended, code, said);
  });
}

const sizes = [1, 10, 100, 1_000, 10_000];
const grown = (cost: (size: number) => number, most = LINEAR): Subject => ({
  name: "a b",
  meaning: "it",
  sizes,
  most,
  cost,
});

for (
  const { text, cost, most, exponent } of [
    { text: "a line", cost: (size: number) => 5 * size, most: LINEAR, exponent: 1 },
    { text: "a square", cost: (size: number) => size ** 2, most: LINEAR, exponent: 2 },
    {
      text: "a line after a share that does not grow",
      cost: (size: number) => 20 + size,
      most: LINEAR,
      exponent: 0.96,
    },
    { text: "no growth", cost: () => 7, most: FLAT, exponent: 0 },
    { text: "a cost that falls", cost: (size: number) => 1e6 / size, most: FLAT, exponent: 0 },
    {
      text: "a growth that comes late",
      cost: (size: number) => size < 1_000 ? 7 : 7 * size,
      most: FLAT,
      exponent: 1.1,
    },
  ]
) {
  Deno.test(`the exponent of ${text} is ${exponent}`, async () => {
    const { value, points, goal, name } = await growthOf(grown(cost, most), {} as Parts);
    assert(Math.abs(value - exponent) < 0.04, `${value}`);
    assertEquals([points?.length, goal, name], [sizes.length, most, "growth_a_b"]);
  });
}

Deno.test("the exponent is the slope of all points, or of the greater half", () => {
  const points = [[1, 1], [10, 1], [100, 1], [1_000, 10]] as const;
  assert(Math.abs(exponentOf(points, false) - 1) < 1e-9);
  assert(Math.abs(exponentOf(points, true) - 0.3) < 1e-9);
});

Deno.test("a group whose figures have costs by size gets a chart of lines", async () => {
  const figures = [{ ...ratio("growth_a", 1, 1.05), unit: "", points: [[1, 5], [10, 50]] as const }];
  const record = { ...machine("m", {}), groups: { growth: { date: "2026-01-02", figures } } };
  const files = await report([record], ["growth"]);
  assertStringIncludes(files.get("docs/benchmarks/growth_lines_light.svg")!, ">a<");
  assertStringIncludes(files.get("docs/benchmarks.md")!, 'srcset="benchmarks/growth_lines_dark.svg"');
});

Deno.test(
  "the bench names the machine and reads the time of another process with the permissions of its task",
  NEEDS_LAVAPIPE,
  async () => {
    const words = taskWords("bench"), program = "tests/bench/programs/reads.ts";
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...words.slice(0, -1), program],
      cwd: ROOT,
    })
      .output();
    const [name, seconds] = new TextDecoder().decode(stdout).split("\n");
    assertMatch(name, /^\d+ cores of \S/, new TextDecoder().decode(stderr));
    assert(!name.includes(`of ${Deno.build.arch}`) || !Deno.build.arch.startsWith("x86"), name);
    assertMatch(seconds, /^[\d.]+$/);
  },
);
