import { assert, assertEquals, assertMatch } from "@std/assert";
import { readRecording, type RecordedCall, RecordingError, replayRecording } from "../../../../workbench/layers.ts";
import { reduceRecording } from "../../../../workbench/recordings/mod.ts";
import { lavapipePath, validationManifest } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { runProgram } from "../../../support/subprocess.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { PLANTED } from "./programs/planted_numbers.ts";

const LAVAPIPE = needs("Mesa lavapipe and the validation layer", lavapipePath() && validationManifest());
const [PROGRAM, LAYER] = ["planted", "planted_layer"].map((name) =>
  new URL(`./programs/${name}.ts`, import.meta.url).pathname
);
const VALIDATION = "VK_LAYER_KHRONOS_validation";

/** A fault amid many commands, and what becomes of it. */
interface Fault {
  readonly name: string;
  readonly while: "hangs" | "lost" | "crashes" | "message";
  /** The line that must be left, and the most calls that may be left around that. */
  readonly culprit: (call: RecordedCall) => boolean;
  readonly most: number;
}

const command = (name: string, is: (args: RecordedCall["args"]) => boolean) => (call: RecordedCall) =>
  call.command === name && is(call.args);
const FAULTS: readonly Fault[] = [
  {
    name: "dispatch hangs",
    while: "hangs",
    culprit: command("vkCmdDispatch", ({ groupCountX }) => groupCountX > 1),
    most: 30,
  },
  { name: "event hangs", while: "hangs", culprit: command("vkCmdWaitEvents", () => true), most: 20 },
  {
    name: "draw lost",
    while: "lost",
    culprit: command("vkCmdDraw", ({ vertexCount }) => vertexCount === PLANTED.vertices),
    most: 30,
  },
  {
    name: "update lost",
    while: "lost",
    culprit: command("vkCmdUpdateBuffer", ({ dstOffset }) => `${dstOffset}` === `${PLANTED.offset}`),
    most: 20,
  },
  {
    name: "copy crashes",
    while: "crashes",
    culprit: command("vkCmdCopyBuffer", ({ pRegions }) => pRegions.length === PLANTED.regions),
    most: 20,
  },
  {
    name: "fill crashes",
    while: "crashes",
    culprit: command("vkCmdFillBuffer", ({ data }) => data === PLANTED.word),
    most: 20,
  },
  {
    name: "draw message",
    while: "message",
    culprit: command("vkCmdSetScissor", ({ pScissors }) => pScissors[0].offset.x < 0),
    most: 20,
  },
  {
    name: "sampler message",
    while: "message",
    culprit: command("vkCreateSampler", ({ pCreateInfo }) => pCreateInfo.mipLodBias > 1e6),
    most: 10,
  },
];

for (const fault of FAULTS) {
  Deno.test(`of 300 commands, reduce leaves the one at fault: "${fault.name}"`, LAVAPIPE, async () => {
    await withFolderAsync(async (folder) => {
      const driver = lavapipePath()!,
        hasLayer = !/hangs|message/.test(fault.name),
        isMessage = fault.while === "message";
      const layers = hasLayer ? [LAYER] : isMessage ? [VALIDATION] : [];
      const options = ["--black-box", "--bound=2", `--driver=${driver}`, ...layers.map((each) => `--layer=${each}`)];
      const program = ["run", ...options, PROGRAM, "--", fault.name, "60", "5"];
      const env = { PLANTED: fault.name }, flags = ["--allow-sys"];
      const seconds = fault.while === "hangs" ? 15 : 120; // the program itself would hang for ever
      const { stderr } = runProgram("cli.ts", program, { cwd: folder, flags, env, seconds });
      const path = `${folder}/black-box.jsonl`, out = `${folder}/small.jsonl`;
      assertMatch(stderr, /black-box\.jsonl: .*to be replayed/);
      Deno.env.set("PLANTED", fault.name);
      const compared = { driver, layers: hasLayer ? [LAYER] : [] }, timeout = 2000;
      const reduced = await reduceRecording(path, [compared, compared], out, {
        while: fault.while,
        validation: isMessage ? VALIDATION : false,
        timeout,
      });
      const left = readRecording(out).lines, calls = left.filter((line): line is RecordedCall => "command" in line);
      console.log(fault.name, reduced.lines, reduced.commands, reduced.tries, calls.length);
      assert(calls.some(fault.culprit), JSON.stringify(calls.map(({ command }) => command)));
      assert(reduced.commands[1] <= 4 && reduced.commands[0] >= 150, `${reduced.commands} commands`);
      assert(calls.length <= fault.most, `${calls.length} calls`);
      assertEquals("path" in reduced.script, true, JSON.stringify(reduced.script));
    });
  });
}
