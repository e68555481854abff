import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { LEFT_BY_WORKER } from "../../bench/soak/activities.ts";
import type { Holdings } from "../../bench/soak/holdings.ts";
import { trendsOf } from "../../bench/soak/trend.ts";
import { compileFixture } from "../support/compile.ts";
import { runProgram } from "../support/subprocess.ts";
import { taskWords } from "../support/task_words.ts";

const ROOT = new URL("../../", import.meta.url);
const LEVEL: Holdings = { files: 10, mappings: 100, threads: 5, native: 9_000, heap: 9_000, resident: 90_000 };
const COUNT = 30;
const samples = (more: (index: number) => Partial<Holdings>) =>
  Array.from({ length: COUNT }, (_, index) => ({ ...LEVEL, ...more(index) }));
const growing = (all: Holdings[]) => trendsOf(all).filter(({ grows }) => grows).map(({ held }) => held);

Deno.test("the soak finds what grows, and takes neither warming up nor noise for growth", () => {
  assertEquals(growing(samples(() => ({}))), []);
  assertEquals(growing(samples((index) => ({ files: 10 + Math.floor(index / 5) }))), ["files"]);
  assertEquals(growing(samples((index) => ({ heap: 9_000 + 300 * index }))), ["heap"]);
  assertEquals(growing(samples((index) => ({ heap: Math.min(30_000, 9_000 + 4_000 * index) }))), []);
  assertEquals(growing(samples((index) => ({ heap: 9_000 + 2_000 * (index * 7 % 5) }))), []);
  assertThrows(() => trendsOf(samples(() => ({})).slice(0, 8)), RangeError, "let the soak run for longer");
});

for (
  const { args, code, text } of [
    { args: ["--minutes=0.1", "--seed=7", "attach and detach", "hotplug"], code: 0, text: "seed 7, 0.1 minutes: " },
    { args: ["--minutes=none"], code: 2, text: "--minutes takes a number above 0, found none" },
    { args: ["swim"], code: 2, text: `There is no activity "swim"` },
  ]
) {
  Deno.test(`soak ${args.join(" ")} ends with ${code}`, async () => {
    const { code: ended, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...taskWords("soak"), ...args],
      cwd: ROOT,
    }).output();
    const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assertStringIncludes(said, text);
    assertEquals(ended, code, said);
  });
}

const tiny = compileFixture("tiny_driver");

Deno.test({
  name:
    "a Worker that is ended leaves the files that Deno leaves for any callback, and the mappings of its machine code",
  ignore: tiny === undefined,
  fn() {
    const { code, stdout, output } = runProgram("tests/bench/ended_workers.ts", [tiny!], { flags: ["--allow-sys"] });
    assertEquals(code, 0, output);
    const { bare, ours } = JSON.parse(stdout) as Record<"bare" | "ours", Holdings>;
    // the last one may still be about to end
    assertEquals([Math.round(bare.files), Math.round(ours.files), LEFT_BY_WORKER.files], [2, 2, 2], stdout);
    assert(bare.mappings < 1 && ours.mappings > 8 && ours.mappings < LEFT_BY_WORKER.mappings + 0.5, stdout); // the system joins neighbours
  },
});
