/**
 * `deno task test [--jobs=N] [--retries=N] [FILE or FOLDER...]`: runs the tests in as many
 * processes at a time as there are processors, with a line for each batch of
 * files, what failed in full, and the time that is left. Without a file or
 * folder, all tests and all examples of the documentation.
 *
 * Exit status: 0 when all passed, 1 when a test failed, 2 for a wrong option.
 *
 * @module
 */
import { OptionError, readOptions, runTask } from "../task.ts";
import { type Batch, batchesOf } from "./batches.ts";
import { fetchPackages } from "./fetch_packages.ts";
import { type Outcome, runBatch } from "./run_batch.ts";
import { Times } from "./times.ts";

const HELP = `deno task test [--jobs=N] [--retries=N] [FILE or FOLDER...]

  --jobs     how many processes at a time; without it, as many as there are processors
  --retries  how often a batch that failed runs again, alone, after the others; without it, never.
             A batch that passes then is named as flaky.
  FILE       a test file, or a folder of them; without any, all tests and all examples of the documentation

Exit status: 0 when all passed, 1 when a test failed, 2 for a wrong option.`;

/** The request of the command line. */
interface Request {
  readonly batches: Batch[];
  readonly jobs: number;
  /** How often a batch that failed runs again. */
  readonly retries: number;
  /** Whether these are all tests. */
  readonly isAll: boolean;
}

function readRequest(): Request {
  const { values, positionals } = readOptions(HELP, {
    options: {
      jobs: { type: "string", default: `${navigator.hardwareConcurrency}` },
      retries: { type: "string", default: "0" },
    },
    allowPositionals: true,
  });
  const jobs = wholeNumber("jobs", values.jobs, 1), retries = wholeNumber("retries", values.retries, 0);
  return { batches: batchesOf(positionals), jobs, retries, isAll: positionals.length === 0 };
}

/** The value of an option that counts. Throws an `OptionError` for anything but a whole number from `least`. */
function wholeNumber(option: string, text: string, least: number): number {
  const number = Number(text);
  if (text !== "" && Number.isInteger(number) && number >= least) return number;
  throw new OptionError(`--${option} is "${text}"; give a whole number from ${least}`);
}

/** Runs all batches, the longest first, and tells of each as it ends. */
async function runAll({ batches, jobs }: Request, times: Times, tell: Progress): Promise<Outcome[]> {
  const waiting = batches.toSorted((a, b) => times.of(b.name) - times.of(a.name)), outcomes: Outcome[] = [];
  async function work(): Promise<void> {
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
      const outcome = await runBatch(batch);
      times.set(batch.name, outcome.seconds);
      outcomes.push(outcome);
      const left = waiting.reduce((sum, { name }) => sum + times.of(name), 0) / jobs;
      tell(outcome, outcomes.length, left);
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
      tell(last[index], last.length, 0);
    }
  }
  return last;
}

/** Called after a batch, with the number of finished batches and about how many seconds are left. */
type Progress = (outcome: Outcome, ended: number, left: number) => void;

function progressOf(total: number): Progress {
  return ({ batch, passed, failed, seconds, output }, ended, left) => {
    if (failed > 0) console.log(`\n${output.trim().replace(/^/gm, "  ")}\n`);
    const counts = `${passed} passed${failed > 0 ? `, ${failed} FAILED` : ""}, ${seconds.toFixed(0)} s`;
    console.log(`[${ended}/${total}] ${batch.name}: ${counts}; ${clock(left)} left`);
  };
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${`${Math.round(seconds % 60)}`.padStart(2, "0")}`;
}

/** Names what was skipped, what passed only when run again, and what failed. Returns the exit code. */
function summary(outcomes: readonly Outcome[], first: readonly Outcome[], seconds: number): number {
  const sum = (key: "passed" | "failed") => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const ignored = outcomes.flatMap((outcome) => outcome.ignored), passed = sum("passed"), failed = sum("failed");
  for (const name of ignored) console.log(`skipped: ${name}`);
  for (const [index, { batch }] of outcomes.entries()) {
    if (first[index].failed > 0 && outcomes[index].failed === 0) console.log(`flaky: ${batch.name}`);
  }
  for (const { batch } of outcomes.filter((outcome) => outcome.failed > 0)) console.log(`failed: ${batch.name}`);
  const verdict = failed === 0 ? "ok" : "FAILED";
  console.log(`\n${verdict} | ${passed} passed | ${failed} failed | ${ignored.length} ignored (${clock(seconds)})`);
  return failed === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const request = readRequest();
  await fetchPackages();
  const start = performance.now(), times = new Times();
  const tell = progressOf(request.batches.length);
  const first = await runAll(request, times, tell);
  if (request.isAll) times.save();
  const outcomes = await runAgain(first, request.retries, tell);
  return summary(outcomes, first, (performance.now() - start) / 1000);
}

if (import.meta.main) await runTask(HELP, main);
