import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fuzzDrivers } from "../../../../workbench/programs/campaign/fuzz.ts";
import { fuzzFacts } from "../../../../workbench/programs/facts.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { commandLine as cli } from "../../../support/command_line.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { until } from "../../../support/until.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), BOTH = [0, 1].map(() => `--driver=${lavapipePath()}`);
const LAYER = new URL("../../../cli/programs/other_fill.ts", import.meta.url).pathname;

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`cli fuzz tells what it found until it got ${signal}, and leaves no files`, LAVAPIPE, async () => {
    await withFolderAsync(async (folder) => {
      const temporary = `${folder}/temporary`, out = `${folder}/out`;
      for (const each of [temporary, out]) Deno.mkdirSync(each);
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--import-map=tools/offline_import_map.json", "cli.ts", "fuzz", ...BOTH]
          .concat([`--layer-b=${LAYER}`, "--seconds=600", "--only=fill", "--actions=4", "--seed=7", `--out=${out}`]),
        cwd: new URL("../../../../", import.meta.url).pathname,
        env: { TMPDIR: temporary, NO_COLOR: "1" },
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      await until("the campaign has written a program", () => namesIn(out).includes("seed-7.jsonl"));
      child.kill(signal);
      const { code, stdout } = await child.output(), text = new TextDecoder().decode(stdout);
      assertEquals(code, 130, text);
      assertMatch(text, /^\d+ programs, 1 new\nstopped: it was told to end\n\ndiffers: vkCmdFillBuffer: buffer\n/);
      assertEquals(namesIn(temporary), []);
      assertEquals(namesIn(out).filter((name) => name.includes("small")), [], "nothing was made smaller");
    });
  });
}

Deno.test("fuzzDrivers() tells a difference whose program cannot be written", LAVAPIPE, async () => {
  const driver = lavapipePath()!, options = { only: ["fill"], actions: 4, seed: 7, duration: 0, programs: 1 };
  const out = import.meta.filename!; // a file where a folder should be
  using vulkan = loadVulkan({ driver });
  const run = { ...options, timeout: 20_000, known: [], out, reduces: { timeout: 20_000, budget: 60_000 } };
  const { findings } = await fuzzDrivers([{ driver }, { driver, layers: [LAYER] }], fuzzFacts(vulkan), run);
  const [{ file, unwritten, reduced }] = findings;
  assertEquals([file, reduced], [undefined, undefined]);
  assertStringIncludes(unwritten!, `${out}/seed-7.jsonl cannot be written: `);
});

Deno.test("cli fuzz takes whole numbers alone, in digits", LAVAPIPE, async () => {
  for (const given of ["", "0x10", "1e3", " 5", "-1", "1.5", "4294967296", "9007199254740992"]) {
    const { code, text } = await cli("fuzz", ...BOTH, "--programs=1", `--seed=${given}`);
    const refusal = `fuzz: --seed=${given} is no whole number from 0 to 4294967295`;
    assertEquals([code, text.split("\n")[0]], [2, refusal]);
  }
});

Deno.test("cli fuzz refuses a folder without a name, and makes one program in no time", LAVAPIPE, async () => {
  const nameless = await cli("fuzz", ...BOTH, "--programs=1", "--out=");
  assertEquals([nameless.code, nameless.text.split("\n")[0]], [2, "fuzz: --out= names no folder"]);
  const one = await cli("fuzz", ...BOTH, "--seconds=0", "--actions=1");
  assertEquals([one.code, one.text], [0, "1 programs, no difference"]);
});

Deno.test(
  "cli fuzz tells a difference at once, and why its program was not made smaller in time",
  LAVAPIPE,
  async () => {
    const driver = lavapipePath()!, options = { only: ["fill"], actions: 4, seed: 7, duration: 0, programs: 1 };
    await withFolderAsync(async (out) => {
      using vulkan = loadVulkan({ driver });
      const told: string[] = [], run = { ...options, timeout: 20_000, known: [], out };
      const { findings } = await fuzzDrivers([{ driver }, { driver, layers: [LAYER] }], fuzzFacts(vulkan), {
        ...run,
        reduces: { timeout: 20_000, budget: 1 },
        onFinding: ({ signature }) => told.push(signature),
      });
      assertEquals(told, findings.map(({ signature }) => signature));
      assertEquals(told.length, 1);
      assertStringIncludes(findings[0].reduced as string, "for reductions were over; give --reduce-seconds more");
    });
  },
);
