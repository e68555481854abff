import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type ComparedDriver, compareDrivers, reduceRecording } from "../../../../workbench/recordings/mod.ts";
import { tryScript } from "../../../../workbench/recordings/script/trial.ts";
import { fuzzFacts } from "../../../../workbench/programs/facts.ts";
import { generateProgram } from "../../../../workbench/programs/generate.ts";
import { readRecording, writeRecording } from "../../../../workbench/layers.ts";
import { loadVulkan, type Vulkan } from "../../../../loader/mod.ts";
import { onPath } from "../../../../tools/setup/files.ts";
import { lavapipePath, validationManifest } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { writeDiffering } from "./differing_program.ts";
import { runDeno, runProgram } from "../../../support/subprocess.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const VALIDATION = needs("the validation layer", validationManifest());
const LAYER = new URL("../compare/programs/planted_layer.ts", import.meta.url).pathname;
/** A program with a dispatch, and how many commands may be left of it. */
const PATIENCE = 60_000;
const SEED = 12, ACTIONS = 12, MOST_LEFT = 25;
/** Lines of a script's test, from `gpuTest(` on. */
const MOST_LINES = 40;

/** A script is a test that passes on the first driver alone, whose numbers have names, and whose types are right. */
async function checkScript(path: string, [one, other]: readonly [ComparedDriver, ComparedDriver]): Promise<void> {
  const text = Deno.readTextFileSync(path), name = /^gpuTest\("([^"]+)"/m.exec(text)![1];
  assertMatch(text, /from "jsr:@pumice\/gfx\/testing";/);
  assertMatch(text, /descriptorSet\(\[[^]*computePipeline\(shader1\(\), pipelineLayout\);/);
  assertMatch(
    text,
    /\.vkCmdDispatch\(\d+, \d+, \d+\)[^]*deepStrictEqual\(\[\.\.\.\w+\.(words|floats|bytes)/,
  );
  const body = text.slice(text.indexOf("\ngpuTest(") + 1, text.indexOf("\n});\n"));
  assert(body.split("\n").length <= MOST_LINES, text);
  assertEquals(/\b(usage|stageFlags|descriptorType|format|layout): \d/.exec(text), null);
  assertEquals((await tryScript({ name, text }, one, PATIENCE)).outcome, "passed");
  const trial = await tryScript({ name, text }, other, PATIENCE);
  assertEquals([trial.outcome, trial.reason?.includes("strictly deep-equal")], ["failed", true]);
  const checked = runDeno([
    "check",
    "--quiet",
    "--config=deno.json",
    "--import-map=tools/offline_import_map.json",
    path,
  ]);
  assertEquals(checked.code, 0, checked.stderr);
}

/** Bytes of the shaders of a recording. */
function shaderBytes(path: string): number {
  const { lines, data } = readRecording(path);
  const codes = lines.flatMap((line) => "command" in line ? line.args.pCreateInfo?.pCode ?? [] : []);
  return codes.reduce((sum, code) => sum + ("data" in code ? data(code.data).length : code.bytes.length / 2), 0);
}

/** Writes a program; returns its path. */
function writeProgram(folder: string, driver: string): string {
  using vulkan = loadVulkan({ driver });
  const path = `${folder}/program.jsonl`;
  writeRecording(path, generateProgram(fuzzFacts(vulkan as Vulkan), { seed: SEED, actions: ACTIONS }).recording);
  return path;
}

Deno.test(
  "reduceRecording() leaves a valid program in which the drivers part in the same way",
  { ignore: LAVAPIPE.ignore || VALIDATION.ignore },
  async () => {
    await withFolderAsync(async (folder) => {
      const driver = lavapipePath()!, out = `${folder}/reduced.jsonl`;
      Deno.env.set("PLANT", JSON.stringify({ command: "vkCmdDispatch", nth: 0, change: "drop" }));
      const drivers = [{ driver }, { driver, layers: [LAYER] }] as const, smaller: number[] = [];
      const path = await writeDiffering(folder, drivers, "vkCmdDispatch");
      const validation = validationManifest()!;
      const { lines, commands, isFlaky, isValidated, script } = await reduceRecording(path, drivers, out, {
        validation,
        onSmaller: (left) => smaller.push(left),
      });
      assertEquals([isFlaky, isValidated, smaller.at(-1)], [false, true, lines[1]]);
      assert(commands[1] <= MOST_LEFT && lines[1] < lines[0] / 1.5, `${lines} lines, ${commands} commands`);
      assertEquals(readRecording(out).lines.length, lines[1]);
      if (onPath("spirv-reduce")) {
        assert(shaderBytes(out) < shaderBytes(path) / 2, `${shaderBytes(out)} bytes of shaders`);
      }
      const { finding } = await compareDrivers(out, drivers);
      assertEquals(finding?.action?.command, "vkCmdDispatch");
      const [one] = drivers;
      assertEquals((await compareDrivers(out, [one, one])).finding, undefined);
      assertEquals(script, { path: `${folder}/reduced.ts` });
      await checkScript(`${folder}/reduced.ts`, drivers);
    });
  },
);

Deno.test("reduceRecording() says when there is nothing to reduce, and writes no file", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const driver = lavapipePath()!, path = writeProgram(folder, driver), out = `${folder}/reduced.jsonl`;
    const both = [{ driver }, { driver }] as const;
    await assertRejects(() => reduceRecording(path, both, out), TypeError, "the drivers do not differ");
    const cli = (...args: string[]) =>
      runProgram("cli.ts", ["reduce", path, `--driver=${driver}`, `--driver=${driver}`, `--out=${out}`, ...args]);
    const none = cli(), wrong = cli("--while=odd");
    assertEquals([none.code, none.stderr.trim()], [
      1,
      'reduce: Cannot reduce while "differs": the drivers do not differ',
    ]);
    assertEquals([
      wrong.code,
      wrong.stderr.includes("Cannot read the condition odd: found odd; give differs, crashes, "),
    ], [2, true]);
    const left = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assertEquals(left.filter((name) => !name.startsWith("program.jsonl")), []);
  });
});
