/**
 * Replays generated programs under validation, that of synchronisation too:
 * `validated.ts DRIVER FROM TO PLANT [ACTIONS]`, where PLANT is what is left out
 * of them, a regular expression, or "". Prints what validation says of each, by
 * seed.
 *
 * @module
 */
import { commonFacts, fuzzFacts } from "../../../../workbench/programs/facts.ts";
import { generateProgram } from "../../../../workbench/programs/generate.ts";
import type { RecordedLine } from "../../../../workbench/layers.ts";
import { replayRecording } from "../../../../workbench/recordings/replay/replay.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { createMessenger, listen } from "../../../support/messenger.ts";

const [driver, from, to, plant, actions = "8"] = Deno.args, said: Record<string, string[]> = {};
const layers = ["VK_LAYER_KHRONOS_validation"], instanceExtensions = ["VK_EXT_debug_utils"];
using bare = loadVulkan({ driver });
const facts = commonFacts([fuzzFacts(bare)]);
using vulkan = loadVulkan({ driver, layers });
for (let seed = Number(from); seed < Number(to); seed++) {
  const { recording } = generateProgram(facts, { seed, actions: Number(actions) });
  using messenger = createMessenger();
  const isLeftOut = (line: RecordedLine) => plant !== "" && "command" in line && new RegExp(plant).test(line.command);
  const edit = (line: RecordedLine) => isLeftOut(line) ? undefined : line;
  try {
    replayRecording(vulkan, recording, {
      ...plant && { edit },
      instanceExtensions,
      onInstance: (instance) => listen(instance, messenger),
    });
  } catch (error) {
    messenger.messages.push(`${error}`);
  }
  if (messenger.messages.length > 0) said[seed] = messenger.messages;
}
console.log(JSON.stringify(said));
