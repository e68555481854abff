import fc from "fast-check";
import { loadVulkan } from "../../../loader/mod.ts";
import { fuzzFacts, generateProgram } from "../../../workbench/programs/mod.ts";
import { writeRecording } from "../../../workbench/layers.ts";
import { validationManifest } from "../../setup/parts.ts";
import type { Row } from "../outcome.ts";
import { type ChangedRecording, changedRecording } from "./changes.ts";
import { type Mode, type Outcome, outcomesIn } from "./outcomes.ts";

/** Actions of a program whose recording is changed. */
const ACTIONS = 6;
/** Programs whose recordings are changed, and as many changed recordings for a replay as for one comparison. */
const PROGRAMS = 4, REPLAYS = 20;
/** Words in what the validation layer says of something that the recording asks against the rules. */
const OBJECTS = /VUID|UNASSIGNED|Validation Error|\[ VUID/;

/** Replays and compares changed recordings of random programs on a driver, in children. */
export function replayedRecordings(driver: string, seed: number, runs: number, folder: string): Row[] {
  const modes = [["replay", "replayRecording()", runs], [
    "compare",
    "compareDrivers()",
    Math.ceil(runs / REPLAYS),
  ]] as const;
  return modes.map(([mode, reader, all]) => {
    const each = Math.ceil(all / PROGRAMS),
      parts = Array.from({ length: PROGRAMS }, (_, program) => {
        const part = `${folder}/${mode}${program}`, inputs = changedRecordings(driver, seed + program, each, part);
        return rowsOf(inputs, outcomesIn(part, driver, [0, inputs.length], mode), { folder: part, driver, mode });
      });
    return { kind: "changed recordings", reader, ...sumOf(parts) };
  });
}

/** Writes changed recordings of a random program into a new folder. */
function changedRecordings(driver: string, seed: number, count: number, folder: string): readonly ChangedRecording[] {
  Deno.mkdirSync(folder);
  using vulkan = loadVulkan({ driver });
  const path = `${folder}/input.jsonl`, { recording } = generateProgram(fuzzFacts(vulkan), { seed, actions: ACTIONS });
  writeRecording(path, recording);
  const lines = Deno.readTextFileSync(path).trimEnd().split("\n").slice(0, -1).map((line) => JSON.parse(line));
  const inputs = fc.sample(changedRecording(lines), { seed, numRuns: count });
  Deno.writeTextFileSync(`${folder}/inputs.json`, JSON.stringify(inputs.map(({ text }) => text)));
  return inputs;
}

type Part = Pick<Row, "inputs" | "counts" | "findings">;

/** The place and the mode in which recordings are tried. */
interface Place {
  readonly folder: string;
  readonly driver: string;
  readonly mode: Mode;
}

function rowsOf(inputs: readonly ChangedRecording[], outcomes: readonly Outcome[], place: Place): Part {
  const counts: Record<string, number> = {}, findings: string[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const isDead = /^died|^hung|^ended/.test(outcome.name), objection = isDead ? objectionTo(index, place) : undefined;
    const name = objection === undefined ? outcome.name : `${outcome.name}, against the rules`;
    counts[name] = (counts[name] ?? 0) + 1;
    if (name !== "taken" && name !== "refused" && objection === undefined) {
      findings.push(`${outcome.name}: ${outcome.message}; for ${inputs[index].what.join("; ")}`);
    }
  }
  return { inputs: outcomes.length, counts, findings };
}

/** The objection of the validation layer to a recording by which a driver dies; `undefined` if the recording keeps the rules. */
function objectionTo(index: number, { folder, driver }: Place): string | undefined {
  if (validationManifest() === undefined) return undefined;
  const [{ said }] = outcomesIn(folder, driver, [index, index + 1], "validate");
  return said.find((message) => OBJECTS.test(message));
}

function sumOf(parts: readonly Part[]): Part {
  const counts: Record<string, number> = {};
  for (const [name, count] of parts.flatMap((part) => Object.entries(part.counts))) {
    counts[name] = (counts[name] ?? 0) + count;
  }
  const inputs = parts.reduce((sum, part) => sum + part.inputs, 0);
  return { inputs, counts, findings: parts.flatMap(({ findings }) => findings) };
}
