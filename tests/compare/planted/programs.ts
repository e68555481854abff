import { fuzzFacts } from "../../../loader/fuzz/facts.ts";
import { generateProgram } from "../../../loader/fuzz/generate.ts";
import { readRecording, type RecordedLine, type RecordedStream } from "../../../loader/layers.ts";
import { loadVulkan, type Vulkan } from "../../../loader/mod.ts";
import { recordDemo } from "../../loader/replay/recorded.ts";

/** A recording in which faults are planted. */
export interface Program {
  readonly name: string;
  readonly stream: RecordedStream;
}

const FUZZED = 20, ACTIONS = 12;

/** The demo's first frame. */
function demo(driver: string, folder: string): Program[] {
  const path = `${folder}/demo.jsonl`;
  recordDemo(path, driver);
  return [{ name: "demo", stream: readRecording(path) }];
}

/** Random programs. */
function fuzzed(driver: string): Program[] {
  using vulkan = loadVulkan({ driver });
  const facts = fuzzFacts(vulkan as Vulkan);
  return Array.from({ length: FUZZED }, (_, seed) => ({
    name: `fuzzed ${seed}`,
    stream: generateProgram(facts, { seed, actions: ACTIONS }).recording,
  })).filter(({ stream }) => !stream.lines.some(hasSamples));
}

/** Whether a line makes an image of several samples, whose contents cannot be read. */
function hasSamples(line: RecordedLine): boolean {
  return "command" in line && line.command === "vkCreateImage" && line.args.pCreateInfo.samples > 1;
}

/** Records or makes programs, by what they are. Files lie in a folder. */
export const PROGRAMS: Readonly<Record<string, (driver: string, folder: string) => Program[]>> = { demo, fuzzed };
