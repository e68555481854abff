import { comparisonText } from "../../workbench/recordings/compare/report/text.ts";
import { commonFacts } from "../../workbench/programs/facts.ts";
import { fuzzActions } from "../../workbench/programs/generate.ts";
import { DriverError, VulkanError } from "../../loader/error.ts";
import { driversOf, validationOf } from "../compare/arguments.ts";
import type { Process, Request } from "../command.ts";
import { isSystemError, WrongUse } from "../../workbench/process/exit_code.ts";
import { refuseQueued } from "../test/known.ts";
import { Progress } from "../../workbench/process/progress.ts";
import type { ReducedFinding } from "../../workbench/programs/campaign/reduce_finding.ts";
import { endedWhenAsked, withFacts } from "../../workbench/programs/campaign/facts.ts";
import { STOPPED, untilStopped } from "../../workbench/process/stop.ts";
import { readKnown } from "../../workbench/programs/campaign/known.ts";
import { type FuzzFinding, outFolder } from "../../workbench/programs/campaign/findings.ts";
import { fuzzDrivers, type FuzzOutcome, type FuzzRun } from "../../workbench/programs/campaign/fuzz.ts";

// Loaded when it is needed: cli/commands.ts says why "as string".
type FuzzOverQueueModule = typeof import("../queue/fuzz_over_queue.ts");

const SECOND = 1000, MOST_SEED = 2 ** 32 - 1;
const DIGITS = /^\d+$/;
const DEFAULT = { seconds: 60, actions: 12, timeout: 20, reduceSeconds: 60 };

/** Fuzzes two drivers. Returns 0 without a new difference, 1 with one, 2 for wrong use, and 130 if it was stopped. */
export async function fuzz(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  if (request.values.queue !== undefined) {
    const { fuzzOverQueue } = await import("../queue/fuzz_over_queue.ts" as string) as FuzzOverQueueModule; // the queue's modules are loaded for this alone
    return await fuzzOverQueue(request, runOf(request), print, process);
  }
  refuseQueued(request);
  const drivers = driversOf("fuzz", request), run = runOf(request);
  using progress = new Progress("fuzz");
  using stop = untilStopped();
  using _out = run.out === undefined ? undefined : outFolder(run.out);
  try {
    const show = (text: string) => progress.show(text);
    show("asking the drivers what they can do");
    const outcome = await withFacts(drivers, run.timeout, async (answers, sides) => {
      const [one, other] = answers.map((answer) => "died" in answer ? undefined : answer);
      if (!one || !other) return endedWhenAsked(answers, run.known);
      return await fuzzDrivers(drivers, commonFacts([one, other]), {
        ...run,
        sides: [sides[0], sides[1]],
        signal: stop.signal,
        onProgram: (count) => show(`${count} programs`),
        onFinding: (finding) => progress.tell(`fuzz: new: ${finding.signature}${placeOf(finding)}`),
        onReduce: (signature) => show(`making smaller: ${signature}`),
      });
    });
    show("");
    print(request.json ? JSON.stringify(outcome, withoutContents, 2) : textOf(outcome));
    if (outcome.stopped !== undefined) return stop.signal.aborted ? STOPPED : 2;
    return outcome.findings.length > 0 ? 1 : 0;
  } catch (error) {
    if (![TypeError, DriverError, VulkanError].some((kind) => error instanceof kind) && !isSystemError(error)) {
      throw error;
    }
    process.warn(`fuzz: ${(error as Error).message}`);
    return 2;
  }
}

function runOf({ values }: Request): FuzzRun {
  const count = (name: string, otherwise: number, min: number, max: number) => {
    const given = values[name], text = `${given ?? otherwise}`, value = Number(text);
    if (DIGITS.test(text) && value >= min && value <= max) return value;
    throw new WrongUse(`fuzz: --${name}=${given} is no whole number from ${min} to ${max}`);
  };
  const timeout = SECOND * count("timeout", DEFAULT.timeout, 1, 3600);
  return {
    seed: count("seed", 0, 0, MOST_SEED),
    duration: SECOND * count("seconds", values.programs === undefined ? DEFAULT.seconds : MOST_SEED, 0, MOST_SEED),
    programs: count("programs", MOST_SEED, 1, MOST_SEED),
    actions: count("actions", DEFAULT.actions, 1, 1000),
    timeout,
    ...values["no-reduce"] !== true && {
      reduces: {
        timeout,
        validation: validationOf(values),
        budget: SECOND * count("reduce-seconds", DEFAULT.reduceSeconds, 1, MOST_SEED),
      },
    },
    only: onlyOf(values.only as string[] | undefined),
    known: values.known === undefined ? [] : readKnown(values.known as string),
    ...values.out !== undefined && { out: values.out as string },
  };
}

function onlyOf(names: string[] | undefined): string[] | undefined {
  const known = fuzzActions(), wrong = names?.find((name) => !known.includes(name));
  if (wrong === undefined) return names;
  throw new WrongUse(`fuzz: --only=${wrong} is no action; there are ${known.join(", ")}`);
}

function textOf({ programs, known, findings, stopped }: FuzzOutcome): string {
  const quiet = known > 0 ? `, ${known} of them with known differences alone` : "";
  const head = `${programs} programs${quiet}, ${findings.length === 0 ? "no difference" : `${findings.length} new`}`;
  const why = stopped === undefined ? [] : [`stopped: ${stopped}`];
  return [head, ...why, ...findings.flatMap(findingText)].join("\n");
}

function findingText({ signature, seed, count, difference, blame, file, unwritten, reduced }: FuzzFinding): string[] {
  const nothing = { drivers: [undefined, undefined], submissions: 0, pieces: 0, replays: 0, unread: {} } as const;
  const lines = comparisonText({ ...nothing, finding: difference }).slice(FIRST_LINE);
  const smaller = reduced === undefined ? [] : [`  ${reducedText(reduced)}`];
  return [
    "",
    signature,
    seed === undefined ? "  before the first program" : `  seed ${seed}${fileOf(file)}; ${count} of the programs`,
    ...unwritten === undefined ? [] : [`  ${unwritten}`],
    ...smaller,
    ...blame === "pumice" ? ["  Pumice ended or refused by itself: this is a fault of Pumice's, please report it"] : [],
    ...lines.map((line) => `  ${line}`),
  ];
}

function placeOf({ seed, file }: FuzzFinding): string {
  return seed === undefined ? "" : `; seed ${seed}${fileOf(file)}`;
}

function fileOf(file: string | undefined): string {
  return file === undefined ? "" : `, in ${file}`;
}

function reducedText(reduced: ReducedFinding | string): string {
  if (typeof reduced === "string") return `not made smaller: ${reduced}`;
  const { file, script, page, commands: [before, after], isFlaky, isStopped } = reduced;
  const states = [...isFlaky ? ["flaky"] : [], ...isStopped ? ["stopped before it was as small as it can be"] : []];
  const head = [...states, `${after} of ${before} commands`].join(", ");
  return `${head}: ${[file, script, page ?? []].flat().join("; ")}`;
}

/** Lines of a comparison's text that tell of the drivers and count. */
const FIRST_LINE = 3;

/** Bytes are for pictures, and what a command had bound is in the recording. */
function withoutContents(name: string, value: unknown): unknown {
  return name === "contents" || name === "boundState" ? undefined : value;
}
