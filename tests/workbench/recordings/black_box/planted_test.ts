import { assert, assertEquals, assertMatch } from "@std/assert";
import { readRecording, type RecordedCall } from "../../../../workbench/layers.ts";
import { reduceRecording } from "../../../../workbench/recordings/mod.ts";
import { lavapipePath, validationManifest } from "../../../../tools/setup/parts.ts";
import { count } from "../../../support/counts.ts";
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

/** Commands of a submission, and submissions. */
const [COMMANDS, SUBMISSIONS] = [count(20, 60), 3];

for (const fault of FAULTS) {
  Deno.test(`of many commands, reduce leaves the one at fault: "${fault.name}"`, LAVAPIPE, async () => {
    await withFolderAsync(async (folder) => {
      const driver = lavapipePath()!, isMessage = fault.while === "message";
      const own = /hangs|message/.test(fault.name) ? [] : [LAYER], layers = isMessage ? [VALIDATION] : own;
      const options = ["--black-box", "--bound=5", `--driver=${driver}`, ...layers.map((each) => `--layer=${each}`)];
      const program = ["run", ...options, PROGRAM, "--", fault.name, `${COMMANDS}`, `${SUBMISSIONS}`];
      const seconds = fault.while === "hangs" ? 20 : 120; // the program itself would hang for ever
      const more = { cwd: folder, flags: ["--allow-sys"], env: { PLANTED: fault.name }, seconds };
      const { stderr } = runProgram("cli.ts", program, more);
      assertMatch(stderr, /black-box\.jsonl: .*to be replayed/);
      Deno.env.set("PLANTED", fault.name); // for the processes that replay
      const compared = { driver, layers: own }, out = `${folder}/small.jsonl`;
      const { commands, script } = await reduceRecording(`${folder}/black-box.jsonl`, [compared, compared], out, {
        while: fault.while,
        validation: isMessage ? VALIDATION : false,
        timeout: 2000,
      });
      const calls = readRecording(out).lines.filter((line): line is RecordedCall => "command" in line);
      assert(calls.some(fault.culprit), JSON.stringify(calls.map(({ command }) => command)));
      assert(commands[1] <= 4, `${commands} commands`);
      assert(calls.length <= fault.most, `${calls.length} calls`);
      // Messages are no test.
      assertEquals("path" in script, !isMessage, JSON.stringify(script));
    });
  });
}
