import { fuzzFacts } from "../../../../../workbench/programs/facts.ts";
import { generateProgram } from "../../../../../workbench/programs/generate.ts";
import { readRecording, type RecordedStream } from "../../../../../workbench/layers.ts";
import { loadVulkan, type Vulkan } from "../../../../../loader/mod.ts";
import { libplaceboPath } from "../../../../../tools/setup/parts.ts";
import { runCounted } from "../../../../loader/install/run_counted.ts";
import { recordDemo } from "../../replay/recorded.ts";
import { runProgram } from "../../../../support/subprocess.ts";

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

/** Two frames of the window example. */
function window(driver: string, folder: string): Program[] {
  const path = `${folder}/window.jsonl`;
  const shown = [`--driver=${driver}`, "--size=96x54", "--frames=2", `--png=${folder}/f-%02d.png`];
  const { code, output } = runProgram("cli.ts", ["record", "examples/window.ts", `--out=${path}`, "--", ...shown]);
  if (code !== 0) throw new Error(output);
  return [{ name: "window", stream: readRecording(path) }];
}

/** The most runs of a program until one ends: lavapipe's threads and libplacebo's wait for each other now and then. */
const TRIES = 3;

function tried(run: () => void): void {
  for (let left = TRIES - 1;; left--) {
    try {
      return run();
    } catch (error) {
      if (left === 0) throw error;
      console.error(`The recording is tried again, ${left} more at most: ${error}`);
    }
  }
}

/** A program of libplacebo's, which is linked with Vulkan; none where libplacebo is missing. */
function placebo(driver: string, folder: string): Program[] {
  const path = `${folder}/placebo.jsonl`, library = libplaceboPath();
  if (library === undefined) return [];
  tried(() => runCounted("libplacebo", [driver, library], { env: { PUMICE_TEST_RECORD: path }, seconds: 30 }));
  return [{ name: "libplacebo", stream: readRecording(path) }];
}

/** Random programs. */
function fuzzed(driver: string): Program[] {
  using vulkan = loadVulkan({ driver });
  const facts = fuzzFacts(vulkan as Vulkan);
  return Array.from({ length: FUZZED }, (_, seed) => ({
    name: `fuzzed ${seed}`,
    stream: generateProgram(facts, { seed, actions: ACTIONS }).recording,
  }));
}

/** Records or makes programs, by what they are. Files lie in a folder. */
export const PROGRAMS: Readonly<Record<string, (driver: string, folder: string) => Program[]>> = {
  demo,
  window,
  placebo,
  fuzzed,
};
