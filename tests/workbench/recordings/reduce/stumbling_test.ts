import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { reduceRecording } from "../../../../workbench/recordings/mod.ts";
import { fuzzFacts } from "../../../../workbench/programs/facts.ts";
import { generateProgram } from "../../../../workbench/programs/generate.ts";
import { readRecording, type RecordedCall, type RecordedLine, writeRecording } from "../../../../workbench/layers.ts";
import { loadVulkan, type Vulkan } from "../../../../loader/mod.ts";
import { lavapipePath, validationManifest } from "../../../../tools/setup/parts.ts";
import { count } from "../../../support/counts.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { WORD } from "./stumbling_layer.ts";

const LAYER = new URL("./stumbling_layer.ts", import.meta.url).pathname;
/** The fates of one fill among dozens of commands, in several command buffers and submissions. */
const FAULTS = [
  ["submits lost", "lost && B"],
  ["message", "message"],
  ["waits lost", "lost"],
  ["records SIGKILL", "crashes && B"],
  ["submits SIGABRT", "crashes"],
] as const;
/** Calls that may be left: what a fill needs to be submitted, and waited for. */
const MOST_LEFT = 25;
const isFill = (line: RecordedLine): line is RecordedCall => "command" in line && line.command === "vkCmdFillBuffer";

/** Writes a program in which a fill in the middle has the number, and an offset that breaks a rule if it is wanted so. */
function writeProgram(path: string, isWrong: boolean): void {
  using vulkan = loadVulkan({ driver: lavapipePath()! });
  const only = ["fill", "update", "copyBuffer", "clear"];
  const { recording } = generateProgram(fuzzFacts(vulkan as Vulkan), { seed: 3, actions: 40, reads: "none", only });
  const fills = recording.lines.filter(isFill), planted = fills[fills.length >> 1];
  assert(fills.length > 10);
  const changed = { ...planted, args: { ...planted.args, data: WORD, ...isWrong && { dstOffset: "1" } } };
  writeRecording(path, { ...recording, lines: recording.lines.map((each) => each === planted ? changed : each) });
}

for (const [fault, condition] of FAULTS.slice(0, count(2, 2, FAULTS.length))) {
  const isMessage = fault === "message";
  Deno.test(
    `reduceRecording() leaves one fill of dozens of commands while ${condition}: "${fault}"`,
    needs("Mesa lavapipe and the validation layer", lavapipePath() && validationManifest()),
    async () => {
      await withFolderAsync(async (folder) => {
        const driver = lavapipePath()!, path = `${folder}/program.jsonl`, out = `${folder}/small.jsonl`;
        writeProgram(path, isMessage);
        Deno.env.set("STUMBLES", isMessage ? "" : fault);
        const { commands, script } = await reduceRecording(path, [{ driver }, { driver, layers: [LAYER] }], out, {
          while: condition,
          validation: isMessage ? validationManifest()! : false,
        });
        const calls = readRecording(out).lines.filter((line) => "command" in line);
        assertEquals(calls.filter(({ command }) => command.startsWith("vkCmd")).length, 1, JSON.stringify(calls));
        assertEquals(calls.filter(isFill).map(({ args }) => isMessage || args.data), [isMessage || WORD]);
        assertEquals([commands[0] > 50, commands[1]], [true, 1]);
        assert(calls.length <= MOST_LEFT, `${calls.length} calls`);
        const text = "path" in script ? Deno.readTextFileSync(script.path) : script.missing;
        assertStringIncludes(text, isMessage ? "a test shows differences, crashes and hangs alone" : "vkCmdFillBuffer");
      });
    },
  );
}
