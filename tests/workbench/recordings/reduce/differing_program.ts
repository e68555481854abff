import { type ComparedDriver, compareDrivers } from "../../../../workbench/recordings/mod.ts";
import { fuzzFacts } from "../../../../workbench/programs/facts.ts";
import { generateProgram } from "../../../../workbench/programs/generate.ts";
import { writeRecording } from "../../../../workbench/layers.ts";
import { loadVulkan, type Vulkan } from "../../../../loader/mod.ts";

const MOST_SEEDS = 50, ACTIONS = 12;
/** The ends of earlier searches of this process, by the command: what is before differs in no test. */
const FIRST = new Map<string, number>();

/** Writes the first random program with a command on which two drivers differ in that very command; returns its path. */
export async function writeDiffering(
  folder: string,
  drivers: readonly [ComparedDriver, ComparedDriver],
  command: string,
): Promise<string> {
  using vulkan = loadVulkan({ driver: drivers[0].driver });
  const facts = fuzzFacts(vulkan as Vulkan);
  for (let seed = FIRST.get(command) ?? 0; seed < MOST_SEEDS; seed++) {
    const { recording } = generateProgram(facts, { seed, actions: ACTIONS });
    if (!recording.lines.some((line) => "command" in line && line.command === command)) continue;
    const path = `${folder}/program.jsonl`;
    for (const each of [path, `${path}.data`]) await Deno.remove(each, { recursive: true }).catch(() => {});
    writeRecording(path, recording);
    if ((await compareDrivers(path, drivers)).finding?.action?.command !== command) continue;
    FIRST.set(command, seed);
    return path;
  }
  throw new Error(`none of ${MOST_SEEDS} programs differs in ${command}`);
}
