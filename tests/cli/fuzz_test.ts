import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readRecording } from "../../workbench/layers.ts";
import { lavapipePath } from "../../tools/setup/parts.ts";
import { commandLine as cli } from "../support/command_line.ts";
import { needs } from "../support/require.ts";
import { withFolderAsync } from "../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()), BOTH = [0, 1].map(() => `--driver=${lavapipePath()}`);
const LAYER = new URL("programs/other_fill.ts", import.meta.url).pathname;
const ENDING = new URL("../workbench/recordings/compare/programs/ending_layer.ts", import.meta.url).pathname;
const FAULT = "differs: vkCmdFillBuffer: buffer";

Deno.test("cli fuzz finds nothing between a driver and itself", LAVAPIPE, async () => {
  const { code, text } = await cli("fuzz", ...BOTH, "--programs=8", "--actions=6");
  assertEquals([code, text], [0, "8 programs, no difference"]);
});

Deno.test("cli fuzz tells a fault once, writes the program, and is quiet about what is known", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const args = ["fuzz", ...BOTH, `--layer-b=${LAYER}`, "--programs=4", "--actions=4", "--only=fill", "--seed=7"];
    const { code, text } = await cli(...args, `--out=${folder}/out`, "--json"), outcome = JSON.parse(text);
    assertEquals(code, 1, text);
    assertEquals(outcome.findings.map(({ signature }: { signature: string }) => signature), [FAULT]);
    const [{ seed, count, file, difference }] = outcome.findings;
    assertEquals([seed, count, difference.action.command], [7, 4, "vkCmdFillBuffer"]);
    assert(readRecording(file).lines.length > 10);
    const { reduced } = outcome.findings[0], base = `${folder}/out/seed-7.small`;
    assertEquals([reduced.file, reduced.script, reduced.page], ["jsonl", "ts", "html"].map((end) => `${base}.${end}`));
    assertEquals([reduced.commands[1], reduced.isFlaky], [1, false], "one fill is left");
    assertStringIncludes(Deno.readTextFileSync(reduced.script), 'gpuTest("vkCmdFillBuffer gives the same in buffer');
    assertStringIncludes(Deno.readTextFileSync(reduced.page), "<title>vkCmdFillBuffer differs</title>");
    assertEquals((await cli("compare", reduced.file, ...BOTH, `--layer-b=${LAYER}`)).code, 1);
    const compared = await cli("compare", file, ...BOTH, `--layer-b=${LAYER}`);
    assertEquals(compared.code, 1, compared.text);
    assertStringIncludes((await cli(...args)).text, `${FAULT}\n  seed 7; 4 of the programs`);
    for (const known of [FAULT, "differs: vkCmdFillBuffer"]) {
      Deno.writeTextFileSync(`${folder}/known`, `# filed\n${known}\n`);
      const quiet = await cli(...args, `--known=${folder}/known`);
      assertEquals([quiet.code, quiet.text], [0, "4 programs, 4 of them with known differences alone, no difference"]);
    }
  });
});

for (const [signal, kind] of [["SIGKILL", "crashed"], ["SIGSTOP", "timed out"]] as const) {
  Deno.test(`cli fuzz goes on with the next program after a driver ${kind}`, LAVAPIPE, async () => {
    const args = ["fuzz", ...BOTH, `--layer-b=${ENDING}`, "--programs=2", "--actions=1", "--only=draw", "--timeout=4"];
    Deno.env.set("ENDS", signal);
    try {
      const { code, text } = await cli(...args, "--seed=1", "--json"), { programs, findings } = JSON.parse(text);
      assertEquals([code, programs, findings.length], [1, 2, 1], text);
      assertEquals([findings[0].signature, findings[0].count], [`${kind} on driver B: vkCmdDraw`, 2]);
    } finally {
      Deno.env.delete("ENDS");
    }
  });
}

Deno.test("cli fuzz leaves programs as they are with --no-reduce", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const args = ["fuzz", ...BOTH, `--layer-b=${LAYER}`, "--programs=1", "--actions=4", "--only=fill", "--seed=7"];
    assertEquals((await cli(...args, "--no-reduce", `--out=${folder}`)).code, 1);
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => /small/.test(name)), []);
  });
});

Deno.test("cli fuzz says what is wrong with its options", async () => {
  const two = ["--driver=/nowhere/a.so", "--driver=/nowhere/b.so"];
  for (
    const [args, words] of [
      [["--driver=/nowhere/a.so"], /^fuzz: 1 driver is given; give two/],
      [[...two, "--seed=-1"], /^fuzz: --seed=-1 is no whole number from 0 to 4294967295/],
      [[...two, "--seconds=soon"], /^fuzz: --seconds=soon is no whole number/],
      [[...two, "--actions=0"], /^fuzz: --actions=0 is no whole number from 1 to 1000/],
      [[...two, "--only=blitz"], /^fuzz: --only=blitz is no action; there are fill, /],
      [[...two, "--known=/nowhere/known"], /^fuzz: "\/nowhere\/known" is not there/],
      [two, /^fuzz: .*\/nowhere\/a\.so/],
    ] as const
  ) {
    const { code, text } = await cli("fuzz", ...args);
    assertEquals(code, 2, text);
    assertMatch(text, words);
  }
});
