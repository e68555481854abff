import { bisect } from "../../recordings/compare/bisect.ts";
import type { DriverDifference } from "../../recordings/compare/finding.ts";
import { Pair, type PairOptions } from "../../recordings/compare/pair.ts";
import { isSubmission } from "../../recordings/compare/driver_process/cut.ts";
import type { FuzzFacts } from "../facts.ts";
import { type FuzzOptions, type FuzzProgram, generateProgram } from "../generate.ts";
import type { ComparedDriver } from "../../recordings/mod.ts";
import { Findings, type FuzzFinding, written } from "./findings.ts";
import { type FindingReduction, reduceFinding } from "./reduce_finding.ts";
import { temporaryFolder } from "../../../loader/temporary_folder.ts";

/** The options of fuzzing two drivers. */
export interface FuzzRun extends Pick<FuzzOptions, "actions" | "only"> {
  /** The seed of the first program. */
  readonly seed: number;
  /** Milliseconds in which programs are begun. */
  readonly duration: number;
  /** The most programs. */
  readonly programs: number;
  /** Milliseconds that a driver may take for a submission. */
  readonly timeout: number;
  /** Signatures that are not told, see {@linkcode isKnown}. */
  readonly known: readonly string[];
  /** A folder for programs that differ, which exists. */
  readonly out?: string;
  /** Processes of the two drivers that are there already. The run ends them. */
  readonly sides?: PairOptions["sides"];
  /** The reduction of programs that differ, if they are written. */
  readonly reduces?: FindingReduction;
  /** Ends the run: the program that is under way does not count. */
  readonly signal?: AbortSignal;
  /** Called for each new difference, at once. */
  readonly onFinding?: (finding: FuzzFinding) => void;
  /** Called before a finding is reduced. */
  readonly onReduce?: (signature: string) => void;
  /** Called after each program. */
  readonly onProgram?: (programs: number) => void;
}

/** The outcome of a run. */
export interface FuzzOutcome {
  /** The number of programs that ran on both drivers. */
  readonly programs: number;
  /** The number of those with only known differences. */
  readonly known: number;
  /** The new differences. */
  readonly findings: readonly FuzzFinding[];
  /** The reason why the run ended before its time; `undefined` if it did not. */
  readonly stopped?: string;
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
  using folder = temporaryFolder("fuzz");
  const recording = `${folder.path}/program.jsonl`;
  const steps: Record<number, number> = {}, { signal, timeout, sides } = run;
  const found = new Findings(run), end = performance.now() + run.duration;
  const pair = new Pair(drivers, { recording, unsealed: false, timeout, steps, share: 0, signal, sides });
  let programs = 0, stopped: string | undefined;
  try {
    while (programs < run.programs && (programs === 0 || performance.now() < end)) {
      const seed = (run.seed + programs) % SEEDS, { actions, only } = run;
      const program = generateProgram(facts, { seed, actions, only, reads: "none" });
      for (const format of Object.keys(steps)) delete steps[Number(format)];
      Object.assign(steps, program.steps);
      stopped = written(recording, program);
      if (stopped !== undefined) break;
      const difference = await differenceOf(pair, recording, program);
      programs++;
      run.onProgram?.(programs);
      const finding = difference && found.add(difference, seed, program);
      if (finding) run.onFinding?.(finding);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    await pair.close();
  }
  await reduceAll(found.all, drivers, run);
  if (signal?.aborted) stopped = "it was told to end";
  return { programs, known: found.known, findings: found.all, ...stopped !== undefined && { stopped } };
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

/** Makes the programs of findings smaller, as long as the budget lasts. A finding tells why it was not made smaller. */
async function reduceAll(
  findings: readonly FuzzFinding[],
  drivers: readonly [ComparedDriver, ComparedDriver],
  { reduces, onReduce, signal: stop }: FuzzRun,
): Promise<void> {
  if (!reduces) return;
  const { budget, ...how } = reduces, timer = new AbortController(), spent = timer.signal;
  const alarm = setTimeout(() => timer.abort(), budget), signal = AbortSignal.any([...stop ? [stop] : [], spent]);
  for (const finding of findings) {
    if (finding.file === undefined || stop?.aborted) continue;
    if (!spent.aborted) {
      onReduce?.(finding.signature);
      finding.reduced = await reduceFinding(finding, drivers, { ...how, signal });
    }
    if (stop?.aborted || !spent.aborted || typeof finding.reduced === "object") continue;
    finding.reduced = `the ${budget / 1000} s for reductions were over; give --reduce-seconds more, or reduce the file`;
  }
  clearTimeout(alarm);
}
