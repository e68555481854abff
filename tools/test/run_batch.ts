import type { Batch } from "./batches.ts";
import { emptied, makeFolder } from "./temporary_files.ts";

/** The result of a batch. */
export interface Outcome {
  /** The batch. */
  readonly batch: Batch;
  /** Tests that passed, those that failed, and those that were ignored. */
  readonly passed: number;
  /** At least 1 where the process did not end well. */
  readonly failed: number;
  /** The names of tests whose part is missing on this machine. */
  readonly ignored: readonly string[];
  /** Everything that the process printed. */
  readonly output: string;
  /** The duration in seconds. */
  readonly seconds: number;
}

/** After how many seconds a batch is ended: something in it hangs. */
const LIMIT = 900;
const FLAGS: readonly string[] = ["test", "-P", "--import-map=tools/offline_import_map.json"];

/** Runs a batch in a process of its own, which has a folder of its own for temporary files and must leave nothing there. */
export async function runBatch(batch: Batch): Promise<Outcome> {
  const folder = makeFolder(), outcome = await runIn(folder, batch), left = emptied(folder);
  // A failed test may have been cut short; its own report is enough.
  if (left.length === 0 || outcome.failed > 0) return outcome;
  const output = `${outcome.output}\nThe tests passed and left files behind in the folder for temporary files: ` +
    `${left.join(", ")}. Remove what a test makes, as withFolder() of tests/support/temporary.ts does.`;
  return { ...outcome, failed: 1, output };
}

async function runIn(folder: string, batch: Batch): Promise<Outcome> {
  const start = performance.now(), env = { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", TMPDIR: folder };
  const child = new Deno.Command("deno", {
    args: [...FLAGS, ...batch.args],
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
    ignored: [...output.matchAll(/^(.+) \.\.\. ignored/gm)].map(([, name]) => name),
    output: output + end,
    seconds,
  };
}

/** The number before a word in the summary of `deno test`. */
function sumOf(output: string, word: "passed" | "failed"): number {
  const summaries = output.matchAll(/^(?:ok|FAILED) \| .*$/gm);
  return [...summaries].reduce((sum, [line]) => sum + Number(line.match(`(\\d+) ${word}`)?.[1] ?? 0), 0);
}
