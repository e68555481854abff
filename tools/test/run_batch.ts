import type { Batch } from "./batches.ts";
import { writeEntry } from "./entry.ts";
import { readReport, type TestResult } from "./report.ts";
import { surroundingsIn } from "./surroundings.ts";
import { type BatchFolder, leftIn, makeFolder } from "./temporary_files.ts";
import type { Notes } from "./watch.ts";

/** The result of a batch. */
export interface Outcome {
  /** The batch. */
  readonly batch: Batch;
  /** The number of tests that passed. */
  readonly passed: number;
  /** The number of tests that failed; at least 1 where the process did not end well. */
  readonly failed: number;
  /** Each test; none if the process died. */
  readonly results: readonly TestResult[];
  /** The notes of the process about its files. */
  readonly notes: Notes;
  /** Everything that the process printed. */
  readonly output: string;
  /** The duration in seconds. */
  readonly seconds: number;
}

/** Seconds after which a batch is ended: something in it hangs. */
const LIMIT = 900;
const FLAGS: readonly string[] = ["test", "-P", "--import-map=tools/offline_import_map.json"];

/** Runs a batch in a process of its own, which has a folder of its own for temporary files and must leave nothing there. */
export async function runBatch(batch: Batch): Promise<Outcome> {
  const folder = makeFolder();
  try {
    return withoutLeft(await runIn(folder, batch), leftIn(folder));
  } finally {
    Deno.removeSync(folder.path, { recursive: true });
  }
}

/** An outcome with the files that the tests left behind. */
function withoutLeft(outcome: Outcome, left: readonly string[]): Outcome {
  // A failed test may have been cut short; its own report is enough.
  if (left.length === 0 || outcome.failed > 0) return outcome;
  const output = `${outcome.output}\nThe tests passed and left files behind in the folder for temporary files: ` +
    `${left.join(", ")}. Remove what a test makes, as withFolder() of tests/support/temporary.ts does.`;
  return { ...outcome, failed: 1, output };
}

async function runIn(folder: BatchFolder, batch: Batch): Promise<Outcome> {
  const start = performance.now(), { path } = folder, env = surroundingsIn(folder);
  const report = `${path}/report.xml`, notes = `${path}/notes.json`;
  const entry = batch.files.length > 0 ? [writeEntry(path, batch.files, notes)] : [];
  const child = new Deno.Command(Deno.execPath(), {
    args: [...FLAGS, `--junit-path=${report}`, ...batch.args, ...entry],
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const alarm = setTimeout(() => child.kill("SIGKILL"), 1000 * LIMIT);
  const { success, signal, stdout, stderr } = await child.output();
  clearTimeout(alarm);
  const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
  const seconds = (performance.now() - start) / 1000,
    passed = sumOf(output, "passed"),
    failed = sumOf(output, "failed");
  const end = signal === null ? "" : `\nthe process ended by ${signal} after ${seconds.toFixed(0)} s`;
  return {
    batch,
    passed,
    failed: success ? failed : Math.max(failed, 1),
    results: readReport(textOf(report) ?? ""),
    notes: JSON.parse(textOf(notes) ?? `{ "started": {}, "missing": {} }`),
    output: output + end,
    seconds,
  };
}

/** A file's text, `undefined` without the file, which a process that died did not write. */
function textOf(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return undefined;
  }
}

/** The number before a word in the summary of `deno test`. */
function sumOf(output: string, word: "passed" | "failed"): number {
  const summaries = output.matchAll(/^(?:ok|FAILED) \| .*$/gm);
  return [...summaries].reduce((sum, [line]) => sum + Number(line.match(`(\\d+) ${word}`)?.[1] ?? 0), 0);
}
