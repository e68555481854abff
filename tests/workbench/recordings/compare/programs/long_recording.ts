/**
 * Replays a recording, rests after each submission, cuts the last submission
 * and follows the recording up to there, as a comparison does. Prints how often
 * the replays rested, and the bytes that they read there.
 *
 * @module
 */
import { bisect } from "../../../../../workbench/recordings/compare/bisect.ts";
import type { Pair } from "../../../../../workbench/recordings/compare/pair.ts";
import { type Rest, runStream } from "../../../../../workbench/recordings/compare/driver_process/run.ts";
import { requireDriver } from "../../../../../loader/api/load_vulkan.ts";
import type { Vulkan } from "../../../../../loader/api/vulkan.ts";
import { replayRecording } from "../../../../../workbench/recordings/replay/replay.ts";
import { loadVulkan } from "../../../../../loader/mod.ts";
import { RecordingFile } from "../../../../../workbench/recordings/replay/recording_file.ts";

const [path, driver, submissions] = Deno.args, last = Number(submissions) - 1, timeout = 60_000;
const same = { run: () => Promise.resolve(undefined) } as unknown as Pair;

using vulkan = requireDriver(loadVulkan({ driver }));
let rests = 0, bytes = 0;
function onRest(rest: Rest): true {
  rests++;
  bytes += rest.read().reduce((sum, { length }) => sum + length, 0);
  return true;
}
replayRecording(vulkan, path);
runStream(vulkan as Vulkan, new RecordingFile(path, false), { timeout, onRest });
runStream(vulkan as Vulkan, new RecordingFile(path, false), {
  timeout,
  cut: { submission: last, actions: 1 },
  onRest,
});
await bisect(same, path, last, false);
console.log(JSON.stringify({ rests, bytes }));
