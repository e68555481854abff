/**
 * `deno task test [--all] [FILE or FOLDER...]`: runs the tests in several
 * processes at a time, with a line for each batch of files, what failed in full,
 * and the time that is left. Without `--all`, a file or a folder, only the quick
 * ones run: files that take a moment, and one of each room that starts a program
 * (`quick.ts`).
 *
 * Exit status: 0 when all passed, 1 when a test failed, 2 for a wrong option.
 *
 * @module
 */
import { OptionError, readOptions, runTask } from "../task.ts";
import { type Batch, batchesOf, EXAMPLES_OF_DOCUMENTATION, testFiles } from "./batches.ts";
import { fetchPackages } from "./fetch_packages.ts";
import { failedBefore, keepFailed } from "./last_failures.ts";
import { runInMemory } from "./memory.ts";
import { type Progress, progressOf } from "./progress.ts";
import { quickFiles } from "./quick.ts";
import { readRecords, type Records, refreshed, seenIn, untrue, writeRecords } from "./record.ts";
import { type Outcome, runBatch } from "./run_batch.ts";
import { tellSlowest, tellSummary, tellUntrue } from "./summary.ts";

const HELP = `deno task test [--all] [--jobs=N] [--retries=N] [--slowest=N] [--verbose] [FILE or FOLDER...]

  --all      all tests and all examples of the documentation; refreshes tools/test/record.json, which says what is quick
  --jobs     how many processes at a time; without it, two for each processor
  --retries  how often a batch that failed runs again, alone, after the others; without it, never.
             A batch that passes then is named as flaky.
  --slowest  names the N files and the N tests that took longest
  --verbose  names each skipped test
  FILE       a test file, or a folder of them; without any and without --all, the quick tests

Exit status: 0 when all passed, 1 when a test failed, 2 for a wrong option.`;

/** Tests wait for timers, servers and programs. */
const JOBS = 2 * navigator.hardwareConcurrency;

/** The request of the command line. */
interface Request {
  readonly batches: Batch[];
  readonly jobs: number;
  /** The most times that a batch that failed runs again. */
  readonly retries: number;
  /** The number of the slowest tests that are named. */
  readonly slowest: number;
  /** Whether each skipped test is named. */
  readonly isVerbose: boolean;
  /** Whether these are all tests. */
  readonly isAll: boolean;
  /** The number of test files that are left out. */
  readonly leftOut: number;
}

function readRequest(records: Records): Request {
  const { values, positionals } = readOptions(HELP, {
    options: {
      all: { type: "boolean", default: false },
      jobs: { type: "string", default: `${JOBS}` },
      retries: { type: "string", default: "0" },
      slowest: { type: "string", default: "0" },
      verbose: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  if (values.all && positionals.length > 0) throw new OptionError("Give either --all or files and folders");
  const jobs = wholeNumber("jobs", values.jobs, 1), retries = wholeNumber("retries", values.retries, 0);
  const slowest = wholeNumber("slowest", values.slowest, 0), isNamed = positionals.length > 0;
  const files = testFiles(isNamed ? positionals : undefined);
  const chosen = values.all || isNamed ? files : quickFiles(files, records);
  const batches = batchesOf(chosen, records);
  if (values.all) batches.push(EXAMPLES_OF_DOCUMENTATION);
  const leftOut = files.length - chosen.length;
  return { batches, jobs, retries, slowest, isVerbose: values.verbose, isAll: values.all, leftOut };
}

/** The value of an option that counts. Throws an `OptionError` for anything but a whole number from `least`. */
function wholeNumber(option: string, text: string, least: number): number {
  const number = Number(text);
  if (text !== "" && Number.isInteger(number) && number >= least) return number;
  throw new OptionError(`--${option} is "${text}"; give a whole number from ${least}`);
}

/** Runs all batches, first those that failed the last time, then the longest, and tells of each as it ends. */
async function runAll({ batches, jobs }: Request, tell: Progress): Promise<Outcome[]> {
  const failed = failedBefore(), outcomes: Outcome[] = [];
  const isFirst = ({ files }: Batch) => files.some((file) => failed.has(file)) ? 1 : 0;
  const waiting = batches.toSorted((a, b) => isFirst(b) - isFirst(a) || b.seconds - a.seconds);
  async function work(): Promise<void> {
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
      const outcome = await runBatch(batch);
      outcomes.push(outcome);
      tell(outcome);
    }
  }
  await Promise.all(Array.from({ length: jobs }, work));
  return outcomes;
}

/**
 * Runs what failed again, one batch at a time. Returns the last outcome of each batch.
 * The first outcome was told in full, so that a test that fails now and then stays visible.
 */
async function runAgain(outcomes: readonly Outcome[], retries: number, tell: Progress): Promise<Outcome[]> {
  const last = [...outcomes];
  for (let retry = 0; retry < retries; retry++) {
    for (const [index, { batch, failed }] of last.entries()) {
      if (failed === 0) continue;
      console.log(`once more, alone: ${batch.name}`);
      last[index] = await runBatch(batch);
      tell(last[index]);
    }
  }
  return last;
}

/** The records after a run of all tests. Files of a batch that failed keep theirs, since a failure may have cut them short. */
function renewed(records: Records, outcomes: readonly Outcome[]): Records {
  const failed = outcomes.filter((outcome) => outcome.failed > 0).flatMap(({ batch }) => batch.files);
  const kept = failed.flatMap((file) => records[file] ? [[file, records[file]] as const] : []);
  const passed = outcomes.filter((outcome) => outcome.failed === 0);
  return { ...Object.fromEntries(kept), ...refreshed(records, seenIn(passed)) };
}

async function main(): Promise<number> {
  const records = readRecords(), request = readRequest(records), start = performance.now();
  await fetchPackages();
  const tell = progressOf(request.batches);
  const first = await runAll(request, tell), outcomes = await runAgain(first, request.retries, tell);
  keepFailed(outcomes);
  const seen = seenIn(outcomes), failed = outcomes.filter((outcome) => outcome.failed > 0);
  const isUsual = !/^[12]$/.test(Deno.env.get("PUMICE_FULL_COUNTS") ?? ""); // with full counts, files take longer than they mostly do
  if (request.isAll && isUsual) writeRecords(renewed(records, outcomes));
  else tellUntrue(untrue(records, seen));
  tellSlowest(outcomes, request.slowest);
  tellSummary({ outcomes, first, ...request, seconds: (performance.now() - start) / 1000 });
  return failed.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTask(HELP, async () => await runInMemory(import.meta.filename!) ?? await main());
