import { CACHE } from "../setup/parts.ts";
import type { Outcome } from "./run_batch.ts";

const PATH = `${CACHE}/failed_tests.json`;

/** The files of the batches that failed the last time that they ran on this machine. */
export function failedBefore(): ReadonlySet<string> {
  try {
    return new Set(JSON.parse(Deno.readTextFileSync(PATH)));
  } catch {
    return new Set(); // nothing failed, or nothing ran
  }
}

/** Keeps which files of the project failed. A file that did not run stays as it was. */
export function keepFailed(outcomes: readonly Outcome[]): void {
  const failed = new Set(failedBefore());
  for (const { batch, failed: count } of outcomes) {
    for (const file of batch.files) count > 0 && !file.startsWith("/") ? failed.add(file) : failed.delete(file);
  }
  Deno.mkdirSync(CACHE, { recursive: true });
  Deno.writeTextFileSync(PATH, JSON.stringify([...failed]));
}
