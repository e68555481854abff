import { bisect } from "../../compare/bisect.ts";
import type { DriverDifference } from "../../compare/finding.ts";
import { Pair } from "../../compare/pair.ts";
import { isSubmission } from "../../compare/sides/cut.ts";
import type { FuzzFacts } from "../../loader/fuzz/facts.ts";
import { type FuzzOptions, type FuzzProgram, generateProgram } from "../../loader/fuzz/generate.ts";
import { writeRecording } from "../../loader/layers.ts";
import type { ComparedDriver, FormatTolerance } from "../../compare/mod.ts";
import { type Blame, blameOf } from "./blame.ts";
import { type FindingReduction, type ReducedFinding, reduceFinding } from "./reduce_finding.ts";
import { isKnown } from "./known.ts";
import { signatureOf, toldAs } from "./signature.ts";

/** How two drivers are fuzzed. */
export interface FuzzRun extends Pick<FuzzOptions, "actions" | "only"> {
  /** The seed of the first program. */
  readonly seed: number;
  /** Milliseconds in which programs are begun. */
  readonly duration: number;
  /** How many programs at most. */
  readonly programs: number;
  /** Milliseconds that a driver may take for a submission. */
  readonly timeout: number;
  /** Signatures that are not told, see {@linkcode isKnown}. */
  readonly known: readonly string[];
  /** A folder for programs that differ, which exists. */
  readonly out?: string;
  /** How programs that differ are made smaller, if they are written. */
  readonly reduces?: FindingReduction;
  /** Called before a finding is reduced. */
  readonly onReduce?: (signature: string) => void;
  /** Called after each program. */
  readonly onProgram?: (programs: number) => void;
}

/** A difference that was not known. */
export interface FuzzFinding {
  /** What tells this difference from others. */
  readonly signature: string;
  /** The seed of the first program that shows the difference; `undefined` for a driver that ended before any. */
  readonly seed?: number;
  /** Whether the driver ended, or a process of this library for a reason of its own; `undefined` for differences. */
  readonly blame?: Blame;
  /** How many programs showed it. */
  count: number;
  /** What differs first. */
  readonly difference: DriverDifference;
  /** The file of the program, if it was written. */
  readonly file?: string;
  /** Steps by which the components of a format may differ in this program, by VkFormat. */
  readonly steps: FormatTolerance;
  /** The smaller program, or why there is none. */
  reduced?: ReducedFinding | string;
}

/** What a run came to. */
export interface FuzzOutcome {
  /** How many programs ran on both drivers. */
  readonly programs: number;
  /** How many of them had only known differences. */
  readonly known: number;
  /** The new differences. */
  readonly findings: readonly FuzzFinding[];
}

/** Lines of the recording's file before line 0. */
const HEADERS = 2;
/** The most that a seed can be, and one more. */
const SEEDS = 2 ** 32;

/** Runs one program after the other on both drivers. The same difference is kept once. */
export async function fuzzDrivers(
  drivers: readonly [ComparedDriver, ComparedDriver],
  facts: FuzzFacts,
  run: FuzzRun,
): Promise<FuzzOutcome> {
  const folder = Deno.makeTempDirSync({ prefix: "fuzz-" }), recording = `${folder}/program.jsonl`;
  const steps: Record<number, number> = {},
    found = new Map<string, FuzzFinding>(),
    end = performance.now() + run.duration;
  const pair = new Pair(drivers, { recording, unsealed: false, timeout: run.timeout, steps, share: 0 });
  let programs = 0, known = 0;
  try {
    while (programs < run.programs && (programs === 0 || performance.now() < end)) {
      const seed = (run.seed + programs++) % SEEDS, { actions, only } = run;
      const program = generateProgram(facts, { seed, actions, only, reads: "none" });
      for (const format of Object.keys(steps)) delete steps[Number(format)];
      Object.assign(steps, program.steps);
      removeFiles(recording);
      writeRecording(recording, program.recording);
      const difference = await differenceOf(pair, recording, program);
      run.onProgram?.(programs);
      if (!difference) continue;
      const exact = signatureOf(difference, program), signature = toldAs(exact, [...found.keys()]);
      const before = found.get(signature);
      if (isKnown(run.known, exact)) known++;
      else if (before) before.count++;
      else {
        const file = run.out && saved(run.out, seed, program);
        found.set(signature, {
          signature,
          seed,
          count: 1,
          difference,
          blame: blameOf(difference),
          steps: { ...program.steps },
          ...file && { file },
        });
      }
    }
    for (const finding of found.values()) await addReduced(finding, drivers, run);
    return { programs, known, findings: [...found.values()] };
  } finally {
    await pair.close();
    Deno.removeSync(folder, { recursive: true });
  }
}

async function differenceOf(
  pair: Pair,
  recording: string,
  program: FuzzProgram,
): Promise<DriverDifference | undefined> {
  const first = await pair.run();
  const submission = first?.kind === "differs" ? first.submission : submissionAt(program, first?.line);
  return submission === undefined ? first : await bisect(pair, recording, submission, false) ?? first;
}

/** The submission that a driver carried out when it ended at a line; `undefined` if the line is another call. */
function submissionAt({ recording: { lines } }: FuzzProgram, line = 0): number | undefined {
  const before = [...lines].slice(0, line - HEADERS + 1), last = before.at(-1);
  if (!last || !("command" in last) || !/^vk(QueueSubmit|WaitForFences)/.test(last.command)) return undefined;
  return before.filter(isSubmission).length - 1;
}

function removeFiles(recording: string): void {
  for (const path of [recording, `${recording}.data`]) {
    try {
      Deno.removeSync(path, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

async function addReduced(
  finding: FuzzFinding,
  drivers: readonly [ComparedDriver, ComparedDriver],
  { reduces, onReduce }: FuzzRun,
): Promise<void> {
  if (!reduces || finding.file === undefined) return;
  onReduce?.(finding.signature);
  finding.reduced = await reduceFinding(finding, drivers, reduces);
}

function saved(out: string, seed: number, { recording }: FuzzProgram): string {
  const file = `${out}/seed-${seed}.jsonl`;
  removeFiles(file);
  writeRecording(file, recording);
  return file;
}
